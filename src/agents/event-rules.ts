import { evaluatorFor } from "../expressions/evaluate.ts";
import { ExpressionFailed, fillIn, textsIn, textsWithBraces } from "../expressions/fill-in.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import { readParams } from "../tools/params.ts";
import type { Compute } from "../untrusted/compute.ts";
import { areReadAtOnce, isExpression, isMistake, partsOf } from "../untrusted/expression-syntax/split-text.ts";
import type { Agent, Rule } from "./agent-record.ts";
import { type EventAgent, findEventAgent } from "./agent-snapshot.ts";
import { queueAgentRun } from "./conversations.ts";
import { type ReadEvent, valueFor } from "./events/read-event.ts";
import type { ToolToRun } from "./loop/plan.ts";
import type { RunStarter } from "./run-starter.ts";

/** A rule with this name matches every event. */
export const anyEvent = "*";

/** A run that an event starts, planned and not yet queued. */
export interface RunToStart {
  tool: ToolToRun;
  params: unknown;
}

export interface PlanPorts {
  store: Db;
  tools: RunStarter;
  compute: Compute;
}

export interface Plan {
  runs: RunToStart[];
  /** If no rule matches: the agent, whose model decides what to do. */
  agent: EventAgent | null;
  /** Why rules could not start their tools, a sentence each. */
  problems: string[];
}

/**
 * Plans what an event starts: the tool of every rule that matches, or the agent's model if none does. Expressions may
 * take long, so this runs outside of any transaction; `startPlanned` runs inside one.
 */
export async function planRuns(agent: Agent, read: ReadEvent, ports: PlanPorts): Promise<Plan> {
  const plan: Plan = { runs: [], agent: null, problems: [] };
  for (const [index, rule] of agent.rules.entries()) {
    if (rule.on !== anyEvent && !read.names.includes(rule.on)) continue;
    const planned = await planOne(agent, rule, valueFor(read, rule.on), ports);
    if (typeof planned === "string") plan.problems.push(`Rule ${index + 1}: ${planned}`);
    else plan.runs.push(planned);
  }
  const isRuled = plan.runs.length > 0 || plan.problems.length > 0;
  return isRuled ? plan : { ...plan, agent: await findEventAgent(ports.store, agent, read.value, ports.tools) };
}

async function planOne(agent: Agent, rule: Rule, event: unknown, ports: PlanPorts): Promise<RunToStart | string> {
  const { projectId, organizationId } = agent;
  const tool = await ports.tools.find(ports.store, projectId, rule.tool_id);
  if (!tool) return `the tool ${rule.tool_id} is gone.`;
  try {
    const on = { compute: ports.compute, organizationId };
    // "Start the run with the event as `params`", unless the rule says otherwise.
    const filled =
      rule.params === undefined ? event : await fillIn(rule.params, { params: {}, steps: {}, event }, evaluatorFor(on));
    const read = await readParams(tool.definition, filled, on);
    if ("params" in read) return { tool, params: read.params };
    return `the params do not fit the tool: ${read.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join(" ")}`;
  } catch (error) {
    if (error instanceof ExpressionFailed) return `${error.pointer} ${error.detail}`;
    throw error;
  }
}

/** Queues the planned runs in the transaction that stores the event. Returns their ids. */
export async function startPlanned(
  db: Db,
  agent: Pick<Agent, "organizationId" | "projectId" | "runAs">,
  plan: Plan,
  from: { eventId: string; region: Region; now: Date },
  tools: RunStarter,
): Promise<string[]> {
  const start = {
    region: from.region,
    organizationId: agent.organizationId,
    projectId: agent.projectId,
    source: { kind: "event" as const, id: from.eventId },
    // An agent has no permissions of its own: its runs act on behalf of the person who created or last changed it.
    startedBy: agent.runAs,
    keyId: null,
    now: from.now,
  };
  const ids: string[] = [];
  for (const { tool, params } of plan.runs) {
    ids.push(await tools.queue(db, { ...start, work: { kind: "tool", ...tool }, params }));
  }
  if (plan.agent) ids.push(await queueAgentRun(db, { ...start, ...plan.agent, conversation: null }));
  return ids;
}

/** Rules are read inside the transaction that saves them, so their size is bounded. */
const rulesReadAtOnce = { expressions: 200, characters: 8_000 };

/** Refuses rules that cannot work: a missing tool, an invalid expression, or one that names anything but the event. */
export async function requireUsableRules(
  db: Db,
  projectId: string,
  rules: readonly Rule[],
  tools: RunStarter,
): Promise<void> {
  const errors: FieldError[] = [];
  if (!areReadAtOnce(textsIn(rules), rulesReadAtOnce)) {
    const detail = "The rules hold more expressions than an agent may have: put them into the tools that they start.";
    throw new Problem("validation_failed", detail, { errors: [{ pointer: "#/rules", code: "too_big", detail }] });
  }
  for (const [index, rule] of rules.entries()) {
    if (!(await tools.find(db, projectId, rule.tool_id))) {
      const pointer = `#/rules/${index}/tool_id`;
      errors.push({ pointer, code: "unknown_tool", detail: "The project has no tool with this id." });
    }
    errors.push(...expressionMistakes(rule.params ?? {}, `#/rules/${index}/params`));
  }
  if (errors.length > 0) throw new Problem("validation_failed", "A rule cannot be used.", { errors });
}

function expressionMistakes(params: Record<string, unknown>, within: string): FieldError[] {
  return textsWithBraces(params, partsOf).flatMap(({ pointer, parts }) =>
    parts.flatMap((part): FieldError[] => {
      const at = `${within}${pointer}`;
      if (isMistake(part)) return [{ pointer: at, code: "invalid_expression", detail: part.mistake }];
      const others = isExpression(part) ? [...part.references.roots].filter((root) => root !== "event") : [];
      const detail = `Here only {{event}} has a value, and ${others.join(", ")} has none.`;
      return others.length > 0 ? [{ pointer: at, code: "unknown_reference", detail }] : [];
    }),
  );
}
