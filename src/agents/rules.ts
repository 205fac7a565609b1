import { evaluatorFor } from "../expressions/evaluate.ts";
import { ExpressionFailed, fillIn, textsIn, textsWithBraces } from "../expressions/fill-in.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import { readParams } from "../tools/params.ts";
import type { Compute } from "../untrusted/compute.ts";
import { isExpression, isMistake, isSoonRead, partsOf } from "../untrusted/expressions/text.ts";
import type { Agent, Rule } from "./agent.ts";
import { type AskedAgent, askedAbout } from "./agent-to-run.ts";
import type { ReadEvent } from "./events/read-event.ts";
import type { ToolToRun } from "./loop/plan.ts";
import { queueAgentRun } from "./runs.ts";
import type { ToolDoor } from "./start-run.ts";

/** A rule may name this one: it fits every event. */
export const anyEvent = "*";

/** A run that an event starts, worked out and not yet begun. */
export interface PlannedRun {
  tool: ToolToRun;
  params: unknown;
}

export interface PlanPorts {
  store: Db;
  tools: ToolDoor;
  compute: Compute;
}

export interface Plan {
  runs: PlannedRun[];
  /** Where no rule fits: the agent itself, to be asked what to do about the event. */
  asks: AskedAgent | null;
  /** What kept a rule from starting its tool, a sentence each. */
  problems: string[];
}

/**
 * What an event starts: the tool of every rule that fits, and where none does, the agent's model. Expressions may take their time, so this stands outside of any
 * transaction; what it plans is begun inside one.
 */
export async function planRuns(agent: Agent, read: ReadEvent, ports: PlanPorts): Promise<Plan> {
  const plan: Plan = { runs: [], asks: null, problems: [] };
  for (const [index, rule] of agent.rules.entries()) {
    if (rule.on !== anyEvent && !read.names.includes(rule.on)) continue;
    const planned = await planOne(agent, rule, read.value, ports);
    if (typeof planned === "string") plan.problems.push(`Rule ${index + 1}: ${planned}`);
    else plan.runs.push(planned);
  }
  const isRuled = plan.runs.length > 0 || plan.problems.length > 0;
  return isRuled ? plan : { ...plan, asks: await askedAbout(ports.store, agent, read.value, ports.tools) };
}

async function planOne(agent: Agent, rule: Rule, event: unknown, ports: PlanPorts): Promise<PlannedRun | string> {
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

/** Begins what was planned, in the transaction that keeps the event. Answers the ids of the runs. */
export async function startPlanned(
  db: Db,
  agent: Pick<Agent, "organizationId" | "projectId" | "runAs">,
  plan: Plan,
  from: { eventId: string; region: Region; now: Date },
  tools: ToolDoor,
): Promise<string[]> {
  const start = {
    region: from.region,
    organizationId: agent.organizationId,
    projectId: agent.projectId,
    source: { kind: "event" as const, id: from.eventId },
    // An agent has no rights of its own: what it starts is done by whoever made it, or changed it last.
    startedBy: agent.runAs,
    keyId: null,
    now: from.now,
  };
  const ids: string[] = [];
  for (const { tool, params } of plan.runs) {
    ids.push(await tools.queue(db, { ...start, work: { kind: "tool", ...tool }, params }));
  }
  if (plan.asks) ids.push(await queueAgentRun(db, { ...start, ...plan.asks, conversation: null }));
  return ids;
}

/** They are read inside of the transaction that keeps them, so there is an end to what they may hold. */
const rulesReadAtOnce = { expressions: 200, characters: 8_000 };

/** Saving says what could not work: a tool that is not there, an expression that cannot be read or names something else. */
export async function requireUsableRules(
  db: Db,
  projectId: string,
  rules: readonly Rule[],
  tools: ToolDoor,
): Promise<void> {
  const errors: FieldError[] = [];
  if (!isSoonRead(textsIn(rules), rulesReadAtOnce)) {
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
