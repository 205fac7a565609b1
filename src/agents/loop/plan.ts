import * as z from "zod";
import type { PlannedWork } from "../../runs/record/run-record.ts";
import { findStep } from "../../systems/index.ts";
import type { ToolDefinition } from "../../tools/definition.ts";

/** When a person must approve before something is sent. */
export type Approval = "never" | "writes" | "always";

/** A tool as it would run now. */
export interface ToolToRun {
  id: string;
  version: number | null;
  definition: ToolDefinition;
}

/** A step or tool that an agent may use, under the name by which its model calls it. */
export type Ability =
  | { kind: "step"; name: string; step: string; connectionId: string }
  | { kind: "tool"; name: string; tool: ToolToRun };

/** What one run may use up. */
export interface AgentCaps {
  turnsMax: number;
  tokensMax: number;
  minutesMax: number;
}

/** A message of an earlier run of the conversation. */
export interface PastMessage {
  role: "user" | "assistant";
  text: string;
}

/** The agent as it was when the run began: a change of the agent affects the next run, not this one. */
export interface AgentPlan extends AgentCaps {
  agentId: string;
  name: string;
  instructions: string;
  /** As `Models.find` reads it; null for the default of the settings. */
  model: string | null;
  approval: Approval;
  abilities: Ability[];
  conversationId: string;
  history: PastMessage[];
}

const storedPlan: z.ZodType<AgentPlan> = z.object({
  agentId: z.string(),
  name: z.string(),
  instructions: z.string(),
  model: z.string().nullable(),
  approval: z.enum(["never", "writes", "always"]),
  abilities: z.array(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("step"), name: z.string(), step: z.string(), connectionId: z.string() }),
      z.object({
        kind: z.literal("tool"),
        name: z.string(),
        tool: z.object({
          id: z.string(),
          version: z.int().nullable(),
          // The definition was checked when the tool was saved.
          definition: z.custom<ToolDefinition>((value) => typeof value === "object" && value !== null),
        }),
      }),
    ]),
  ),
  conversationId: z.string(),
  history: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
  turnsMax: z.int(),
  tokensMax: z.int(),
  minutesMax: z.int(),
});

/** Runs store the plan without reading it. */
export const readPlan = (stored: unknown): AgentPlan => storedPlan.parse(stored);

export const agentWork = (plan: AgentPlan): Extract<PlannedWork, { kind: "agent" }> => ({
  kind: "agent",
  id: plan.agentId,
  conversationId: plan.conversationId,
  plan,
});

const nameMax = 60;

/** Names that every model accepts: letters, digits and underscores, without duplicates. */
export function nameAbilities(
  steps: readonly { step: string; connectionId: string }[],
  tools: readonly ToolToRun[],
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
