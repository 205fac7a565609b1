import type { OutputOf, Path } from "../../../client/wire.ts";

export type Agent = OutputOf<"/latest/agents/{agent_id}/get">;

/** What changes on screen with an agent. */
export const agentChanges: Path[] = ["/latest/agents/list", "/latest/agents/{agent_id}/get"];

/** An agent as the form holds it. The params of a rule are text while they are typed. */
export interface AgentDraft {
  name: string;
  instructions: string;
  steps: { step: string; connection_id: string }[];
  tools: string[];
  model: string;
  approval: Agent["approval"];
  rules: RuleDraft[];
  max_turns: number;
  max_tokens: number;
  max_minutes: number;
}

export interface RuleDraft {
  on: string;
  tool_id: string;
  params: string;
}

export const emptyAgent: AgentDraft = {
  name: "",
  instructions: "",
  steps: [],
  tools: [],
  model: "",
  approval: "writes",
  rules: [],
  max_turns: 20,
  max_tokens: 500_000,
  max_minutes: 60,
};

export const draftOf = (agent: Agent): AgentDraft => ({
  name: agent.name,
  instructions: agent.instructions,
  steps: agent.steps,
  tools: agent.tools,
  model: agent.model ?? "",
  approval: agent.approval,
  rules: agent.rules.map(({ on, tool_id, params }) => ({
    on,
    tool_id,
    params: params === undefined ? "" : JSON.stringify(params, null, 2),
  })),
  max_turns: agent.max_turns,
  max_tokens: agent.max_tokens,
  max_minutes: agent.max_minutes,
});

/** The draft as the API takes it, or null while the params of a rule are no JSON object. */
export function wishOf(draft: AgentDraft) {
  const rules = draft.rules.map(({ on, tool_id, params }) => ({ on, tool_id, params: readRuleParams(params) }));
  if (rules.some(({ params }) => params === null)) return null;
  return {
    ...draft,
    name: draft.name.trim(),
    model: draft.model.trim() || null,
    rules: rules.map(({ on, tool_id, params }) => ({ on: on.trim(), tool_id, ...(params ? { params } : {}) })),
  };
}

/** Undefined where nothing is typed, null where it is no JSON object yet. */
export function readRuleParams(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

export const approvals: { value: Agent["approval"]; label: string; meaning: string }[] = [
  {
    value: "writes",
    label: "Before it changes something",
    meaning: "It reads on its own. A person agrees to each call that creates, changes or deletes.",
  },
  {
    value: "always",
    label: "Before every call",
    meaning: "A person agrees to everything that is sent, also to reads.",
  },
  { value: "never", label: "Never", meaning: "It acts on its own, within the policies of its accounts." },
];
