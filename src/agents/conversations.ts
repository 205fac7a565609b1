import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { queueRun, type RunStart } from "../runs/queue/start-run.ts";
import {
  type Conversation,
  hasLargeOutput,
  listConversations,
  listRunSummaries,
  listRuns,
  type Run,
  type RunStatus,
  readParamsBeginnings,
  readRunStatuses,
  requireRun,
} from "../runs/runs.ts";
import type { Db } from "../store/db.ts";
import { redact } from "../transport/redact.ts";
import { type AgentParams, openingOf } from "./loop/messages.ts";
import { type AgentPlan, agentWork, type PastMessage } from "./loop/plan.ts";

const titleCharactersMax = 120;
/** A title is read from the beginning of the params alone, which may be megabytes. */
const paramsCharactersRead = 1000;

export interface TitledConversation extends Conversation {
  /** The first words of what began it: the message, or the event's name. */
  title: string;
  /** How its last run stands. */
  lastStatus: RunStatus | null;
}

/** Newest first. */
export async function listTitledConversations(
  db: Db,
  projectId: string,
  agentId: string,
  page: { after: string; limit: number },
): Promise<TitledConversation[]> {
  const listed = await listConversations(db, projectId, agentId, page);
  const statuses = await readRunStatuses(
    db,
    projectId,
    listed.map(({ lastRunId }) => lastRunId),
  );
  const beginnings = await readParamsBeginnings(
    db,
    listed.map(({ firstRunId }) => firstRunId),
    paramsCharactersRead,
  );
  return listed.map((conversation) => ({
    ...conversation,
    title: titleIn(beginnings.get(conversation.firstRunId) ?? ""),
    lastStatus: statuses.get(conversation.lastRunId) ?? null,
  }));
}

/** From JSON that may be cut: `{"message":"…` or `{"event":{…`. */
function titleIn(params: string): string {
  const [, message] = /^\{"message":"((?:[^"\\]|\\(?:u[\da-f]{4}|[^u]))*)/i.exec(params) ?? [];
  if (message !== undefined) {
    const text = String(redact(JSON.parse(`"${message}"`), [])).trim();
    return text.length > titleCharactersMax ? `${text.slice(0, titleCharactersMax).toWellFormed()}…` : text;
  }
  const [, type] = /"(?:on|type)":"([ !#-[\]-~]{1,100})"/.exec(params) ?? [];
  return type === undefined ? "Event" : `Event ${type}`;
}

/** An agent to run: its plan without the parts of one conversation. */
export type AgentToRun = Omit<AgentPlan, "conversationId" | "history">;

export interface AgentStart extends Omit<RunStart, "work" | "params"> {
  agent: AgentToRun;
  params: AgentParams;
  /** Null for a new conversation. */
  conversation: ConversationSoFar | null;
}

export function agentRunStart({ agent, conversation, ...start }: AgentStart): { start: RunStart; plan: AgentPlan } {
  const conversationId = conversation?.id ?? newId("conversation", start.region);
  const plan: AgentPlan = { ...agent, conversationId, history: conversation?.history ?? [] };
  return { start: { ...start, work: agentWork(plan) }, plan };
}

/** Inserts the run in the caller's transaction and returns its id. */
export const queueAgentRun = (db: Db, wanted: AgentStart): Promise<string> => queueRun(db, agentRunStart(wanted).start);

/** The messages of a conversation, and its last run. */
export interface ConversationSoFar {
  id: string;
  lastRunId: string;
  history: PastMessage[];
}

/** A model gets at most this much of a conversation, the newest part. */
const historyRunsMax = 20;
const historyCharactersMax = 60_000;

/** A conversation that can be continued: one of this agent, whose last run has ended. */
export async function requireConversation(
  db: Db,
  projectId: string,
  agentId: string,
  conversationId: string,
): Promise<ConversationSoFar> {
  const runs = await requireConversationRuns(db, projectId, agentId, conversationId, historyRunsMax);
  const last = runs.at(-1) as Run;
  refuseBusy(last);
  return { id: conversationId, lastRunId: last.id, history: await historyOf(runs) };
}

/** Runs in the transaction that continues the conversation: no other run has continued it since it was read. */
export async function requireUnchanged(
  db: Db,
  projectId: string,
  agentId: string,
  { id, lastRunId }: ConversationSoFar,
): Promise<void> {
  const { rows } = await listRunSummaries(db, projectId, { agentId, conversationId: id }, { after: "", limit: 1 });
  const [last] = rows;
  if (last && last.id !== lastRunId) throw busy(last.id);
}

function refuseBusy(run: Run): void {
  if (run.finishedAt === null) throw busy(run.id);
}

const busy = (runId: string): Problem =>
  new Problem("conversation_busy", `The run ${runId} of this conversation has not ended.`, { more: { run_id: runId } });

/** The newest runs, in the order in which they were made. */
export async function requireConversationRuns(
  db: Db,
  projectId: string,
  agentId: string,
  conversationId: string,
  limit: number,
): Promise<Run[]> {
  const runs = await listRuns(db, projectId, { agentId, conversationId }, { after: "", limit });
  if (runs.length === 0) throw new Problem("conversation_not_found");
  const whole = runs.map((run) => (hasLargeOutput(run) ? requireRun(db, projectId, run.id) : run));
  return (await Promise.all(whole)).reverse();
}

/** The agent's answer; null if there is none yet. */
export const replyOf = ({ output }: Pick<Run, "output">): string | null =>
  (output as { message?: string } | null)?.message ?? null;

/** Without the calls in between: their results may be out of date. */
async function historyOf(runs: readonly Run[]): Promise<PastMessage[]> {
  const kept: PastMessage[] = [];
  let characters = 0;
  for (const run of runs.toReversed()) {
    const said: PastMessage[] = [
      { role: "user", text: await openingOf(run.params as AgentParams) },
      {
        role: "assistant",
        text: replyOf(run) || `(That ended without a reply: ${run.problem?.code ?? run.status}.)`,
      },
    ];
    characters += said.reduce((sum, { text }) => sum + text.length, 0);
    if (characters > historyCharactersMax) break;
    kept.unshift(...said);
  }
  return kept;
}
