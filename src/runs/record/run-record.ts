import { parseInSlices, unlimited } from "../../kernel/parse-in-slices.ts";
import { smallCharacters } from "../../kernel/strict-json.ts";
import type { Attempt, LimitSeen } from "../../steps/ports.ts";
import type { Db, Value } from "../../store/db.ts";
import { isReference, readText } from "../../store/large-texts.ts";
import type { WaitKind } from "../../systems/index.ts";
import type { StepProblem } from "../../systems/step-problems.ts";
import type { ToolDefinition, ToolStep } from "../../tools/definition.ts";
import { definitionText, readDefinition } from "../../tools/stored-definition.ts";
import type { RunStatus } from "./run-status.ts";

/** The record of a run, and the one mapping between it and a row of the table `runs`. */

/** What a run does. `id` is the tool's, the agent's or the step's; an unsaved tool has none. */
export type RunWork =
  | { kind: "tool"; id: string | null; version: number | null }
  | { kind: "agent"; id: string; conversationId: string }
  | { kind: "step"; id: string; connectionId: string };

/** What a worker executes, fixed when the run begins. Only the room of agents reads the plan of an agent. */
export type PlannedWork =
  | { kind: "tool"; id: string | null; version: number | null; definition: ToolDefinition }
  | { kind: "agent"; id: string; conversationId: string; plan: unknown };

/** The steps of a tool; an agent has none until its model asks for one. */
export const stepsIn = (work: PlannedWork): readonly ToolStep[] => (work.kind === "tool" ? work.definition.steps : []);

/** What started a run. With "agent", `id` is the run that started it. */
export interface RunSource {
  kind: "call" | "schedule" | "event" | "agent" | "replay";
  id?: string;
}

/** What a run waits for, and until when. */
export interface WaitingFor {
  kind: "limit" | "time" | WaitKind | "approval" | "retry" | "person" | "run";
  detail: string;
  until?: string;
  step?: string;
  /** With "approval": the exact request that will be sent. */
  request?: unknown;
  /** With "run": the id of that run. */
  run_id?: string;
}

/** What a list shows of a run: without params, requests and output, each of which may be megabytes. */
export interface ListedRun {
  id: string;
  work: RunWork;
  status: RunStatus;
  problem: StepProblem | null;
  waitingFor: WaitingFor | null;
  startedBy: string;
  createdAt: string;
  finishedAt: string | null;
}

export interface Run extends ListedRun {
  organizationId: string;
  projectId: string;
  params: unknown;
  output: unknown;
  outputBytes: number;
  source: RunSource;
  /** The W3C trace in which it was started, if there is one. */
  trace?: string | undefined;
  keyId: string | null;
  /** When it is due, while it waits for a worker or for a time. */
  runAt: string | null;
  /** The worker that holds it. */
  worker: string | null;
  /** The end of the worker's lease. For a single step with an unknown outcome: when to probe next. */
  leaseUntil: string | null;
  /** How often it was claimed. A worker with an older fence can write nothing. */
  fence: number;
  /** How often it was claimed since its last finished step, this claim included. */
  claimsWithoutProgress: number;
  /** How many failures of our own it had since its last finished step. */
  failures: number;
  cancelAsked: boolean;
  /** Of a single step; the steps of tools and agents have records in the journal. */
  attempts: readonly Attempt[];
  warnings: string[];
  limits: LimitSeen[];
  /** Why the row of a claimed run cannot be read: its worker can only end it. */
  unreadable?: unknown;
}

export interface StepRun extends Run {
  work: Extract<RunWork, { kind: "step" }>;
}

export interface ToolRun extends Run {
  work: Extract<PlannedWork, { kind: "tool" }>;
}

export interface AgentRun extends Run {
  work: Extract<PlannedWork, { kind: "agent" }>;
}

/** A run with everything that a worker needs. */
export type PlannedRun = ToolRun | AgentRun;

export const isStepRun = (run: Run): run is StepRun => run.work.kind === "step";
export const isAgentRun = (run: PlannedRun): run is AgentRun => run.work.kind === "agent";

export const withWork = (run: Run, work: PlannedWork): PlannedRun =>
  work.kind === "tool" ? { ...run, work } : { ...run, work };

/** The run that started this one and waits for its end. */
export const parentOf = ({ source }: Pick<Run, "source">): string | null =>
  source.kind === "agent" ? (source.id ?? null) : null;

export interface ListedRow {
  id: string;
  kind: string;
  tool_id: string | null;
  tool_version: number | null;
  agent_id: string | null;
  conversation_id: string | null;
  step_id: string | null;
  connection_id: string | null;
  status: string;
  problem: string | null;
  waiting_for: string | null;
  started_by: string;
  created_at: string;
  finished_at: string | null;
}

export const listedColumns = `id, kind, tool_id, tool_version, agent_id, conversation_id, step_id, connection_id, status,
  problem, waiting_for, started_by, created_at, finished_at`;

export interface RunRow extends ListedRow {
  organization_id: string;
  project_id: string;
  params: string;
  output: string | null;
  output_bytes: number;
  source: string | null;
  key_id: string | null;
  run_at: string | null;
  worker: string | null;
  lease_until: string | null;
  fence: number;
  progress_fence: number;
  failures: number;
  cancel_asked: number;
  attempts: string;
  warnings: string;
  limits: string;
}

export const runColumns = `${listedColumns}, organization_id, project_id, params, output, output_bytes, source, key_id, run_at,
  worker, lease_until, fence, progress_fence, failures, cancel_asked, attempts, warnings, limits`;

/** The columns of a new row that runs of every kind have, in the order of `newRowValues`. Two statements begin with them. */
export const newRowColumns = `id, organization_id, project_id, kind, params, started_by, key_id, created_at, lease_until,
  worker, fence, status, attempts, output, output_bytes, warnings, problem, limits, finished_at`;
export const newRowMarks = newRowColumns
  .split(",")
  .map((_, index) => `$${index + 1}`)
  .join(", ");

/** `params` and `output` as their columns hold them. */
export const newRowValues = (run: Run, params: string, output: readonly Value[]): Value[] => [
  run.id,
  run.organizationId,
  run.projectId,
  run.work.kind === "step" ? "step" : "tool",
  params,
  run.startedBy,
  run.keyId,
  run.createdAt,
  run.leaseUntil,
  run.worker,
  run.fence,
  ...changingValues(run, output),
];

/** What changes while a run is worked on, in the order of the columns of a new row. */
export const changingValues = (run: Run, output: readonly Value[]): Value[] => [
  run.status,
  listText(run.attempts),
  ...output,
  listText(run.warnings),
  run.problem === null ? null : JSON.stringify(run.problem),
  listText(run.limits),
  run.finishedAt,
];

const listText = (list: readonly unknown[]): string => (list.length === 0 ? "[]" : JSON.stringify(list));

export const toListedRun = (row: ListedRow): ListedRun => ({
  id: row.id,
  work: workIn(row),
  status: row.status as RunStatus,
  problem: row.problem === null ? null : (JSON.parse(row.problem) as StepProblem),
  waitingFor: row.waiting_for === null ? null : (JSON.parse(row.waiting_for) as WaitingFor),
  startedBy: row.started_by,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

const toRun = (row: RunRow): Run => ({
  ...toListedRun(row),
  organizationId: row.organization_id,
  projectId: row.project_id,
  params: JSON.parse(row.params),
  output: row.output === null ? null : JSON.parse(row.output),
  outputBytes: row.output_bytes,
  ...sourceIn(row),
  keyId: row.key_id,
  runAt: row.run_at,
  worker: row.worker,
  leaseUntil: row.lease_until,
  fence: row.fence,
  claimsWithoutProgress: row.fence - row.progress_fence,
  failures: row.failures,
  cancelAsked: row.cancel_asked === 1,
  attempts: JSON.parse(row.attempts) as Attempt[],
  warnings: JSON.parse(row.warnings) as string[],
  limits: JSON.parse(row.limits) as LimitSeen[],
});

/** Params may have megabytes. These are parsed in slices, and SQLite stores them outside the row. */
const hasLargeParams = ({ params }: RunRow): boolean => params.length > smallCharacters || isReference(params);
const withoutParams = <Row extends RunRow>(row: Row): Row => ({ ...row, params: "null" });

async function largeParams(db: Db, { params }: RunRow): Promise<unknown> {
  return parseInSlices(await readText(db, params), unlimited);
}

export const readRun = async (db: Db, row: RunRow): Promise<Run> =>
  hasLargeParams(row) ? { ...toRun(withoutParams(row)), params: await largeParams(db, row) } : toRun(row);

export const readPlannedRun = async (db: Db, row: PlannedRow): Promise<PlannedRun> =>
  hasLargeParams(row) ? { ...toPlannedRun(withoutParams(row)), params: await largeParams(db, row) } : toPlannedRun(row);

/** What a worker needs of a row that cannot be read, so that it can end the run. */
export function readDamagedRun(row: PlannedRow, unreadable: unknown): PlannedRun {
  const [none, definition] = ["[]", row.agent_id === null ? '{"steps":[]}' : '{"agent":null}'];
  const texts = { params: "null", output: null, problem: null, waiting_for: null, definition };
  const bare = { ...row, ...texts, attempts: none, warnings: none, limits: none };
  try {
    return { ...toPlannedRun(bare), unreadable };
  } catch {
    // The source is damaged, too. The error that counts is the first one.
    return { ...toPlannedRun({ ...bare, source: null }), unreadable };
  }
}

/** The column `source` also holds the trace, which no caller sees. */
function sourceIn({ source: text }: RunRow): Pick<Run, "source" | "trace"> {
  if (text === null) return { source: { kind: "call" } };
  const { trace, ...source } = JSON.parse(text) as RunSource & { trace?: string };
  return trace === undefined ? { source } : { source, trace };
}

export const sourceText = ({ source, trace }: Pick<Run, "source" | "trace">): string =>
  JSON.stringify(trace === undefined ? source : { ...source, trace });

/** The column `kind` of an agent's run says "tool": both pass the same queue, and earlier versions know two kinds. */
function workIn(row: ListedRow): RunWork {
  if (row.kind === "step") return { kind: "step", id: row.step_id ?? "", connectionId: row.connection_id ?? "" };
  if (row.agent_id !== null) return { kind: "agent", id: row.agent_id, conversationId: row.conversation_id ?? "" };
  return { kind: "tool", id: row.tool_id, version: row.tool_version };
}

export interface PlannedRow extends RunRow {
  definition: string;
}

function toPlannedRun(row: PlannedRow): PlannedRun {
  const run = toRun(row);
  return withWork(run, plannedWork(run.work, row.definition));
}

function plannedWork(work: RunWork, text: string): PlannedWork {
  switch (work.kind) {
    case "tool":
      return { ...work, definition: readDefinition(text) };
    case "agent":
      return { ...work, plan: (JSON.parse(text) as StoredPlan).agent };
    case "step":
      throw new Error("The run of a single step has no plan.");
  }
}

/** How the column `definition` holds the plan of an agent. No tool can be saved with the member `agent`. */
interface StoredPlan {
  agent: unknown;
}

export const planText = (work: PlannedWork): string =>
  work.kind === "tool" ? definitionText(work.definition) : JSON.stringify({ agent: work.plan } satisfies StoredPlan);
