import type { ToolRun } from "../../runs/queue/queue.ts";
import type { RunStart } from "../../runs/start-run.ts";
import { findStep } from "../../systems/index.ts";
import type { ToolDefinition } from "../../tools/definition.ts";

/** When a person has to agree before something is sent. */
export type Approval = "never" | "writes" | "always";

/** Something that an agent may do, under the name by which its model asks for it. */
export type Ability =
  | { kind: "step"; name: string; step: string; connectionId: string }
  | { kind: "tool"; name: string; tool: RunStart["tool"] & { id: string } };

/** How much one run may take. */
export interface AgentCaps {
  turnsMax: number;
  tokensMax: number;
  minutesMax: number;
}

/** What was said in earlier runs of the conversation. */
export interface Said {
  role: "user" | "assistant";
  text: string;
}

/** An agent as it was when the run began: who edits it meanwhile changes the next run, not this one. */
export interface AgentPlan extends AgentCaps {
  agentId: string;
  name: string;
  instructions: string;
  /** As `Models.find` reads it; null for the one of the settings. */
  model: string | null;
  approval: Approval;
  abilities: Ability[];
  conversationId: string;
  history: Said[];
}

/** Stands where the run of a tool has the tool's definition. No tool can be saved with this member. */
interface AgentDefinition extends ToolDefinition {
  agent: AgentPlan;
}

export const definitionOf = (plan: AgentPlan): AgentDefinition => ({
  title: plan.name,
  params_schema: { type: "object" },
  steps: [],
  agent: plan,
});

/** Null for the run of a tool. */
export const planOf = ({ definition }: Pick<ToolRun, "definition">): AgentPlan | null =>
  (definition as Partial<AgentDefinition>).agent ?? null;

const nameMax = 60;

/** Names that every model takes: letters, digits and underscores, each once. */
export function nameAbilities(
  steps: readonly { step: string; connectionId: string }[],
  tools: readonly (RunStart["tool"] & { id: string })[],
): Ability[] {
  const taken = new Set<string>();
  const unique = (wanted: string): string => {
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
    taken.add(name);
    return name;
  };
  const known = steps.filter(({ step }) => findStep(step) !== null);
  return [
    ...known.map((allowed): Ability => ({ kind: "step", name: unique(allowed.step), ...allowed })),
    ...tools.map((tool): Ability => ({ kind: "tool", name: unique(slugOf(tool.definition.title)), tool })),
  ];
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .slice(0, nameMax)
    .replace(/^_+|_+$/g, "") || "tool";
