import type { Path, RecordOf } from "../../../../client/wire.ts";
import type { Tone } from "../../../ui/Notice.tsx";
import type { Agent } from "../agent-draft.ts";

export type AgentEvent = RecordOf<"/latest/events/list">;

export const eventChanges: Path[] = ["/latest/events/list", "/latest/agents/{agent_id}/webhook", "/latest/runs/list"];

/** What became of an event, in a word and a sentence. */
export function statusOf({ status, run_ids, problem }: AgentEvent): { tone: Tone; word: string; sentence: string } {
  const runs = run_ids.length === 1 ? "one run" : `${run_ids.length} runs`;
  switch (status) {
    case "started":
      return { tone: "good", word: "Started", sentence: `It started ${runs}.${problem ? ` ${problem}` : ""}` };
    case "failed":
      return { tone: "bad", word: "Failed", sentence: problem ?? "A rule matches, and started nothing." };
    case "queued":
      return { tone: "warn", word: "Waits", sentence: "The agent is paused: the event waits until it is resumed." };
    case "ignored":
      return { tone: "info", word: "Ignored", sentence: problem ?? "No rule matches, and no model was asked." };
  }
}

/**
 * What is known about the signature of an event. Nothing is kept of requests whose signature is wrong. An event from
 * before the agent was last changed may have come while signatures were off.
 */
export function signatureOf(event: AgentEvent, agent: Agent): { tone: Tone; text: string } {
  if (agent.webhook_signature === "off") return { tone: "info", text: "Not checked" };
  return event.created_at >= agent.updated_at ? { tone: "good", text: "Valid" } : { tone: "info", text: "Accepted" };
}
