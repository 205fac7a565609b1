import type { OutputOf, Path, RecordOf } from "../../../../client/wire.ts";
import type { Tone } from "../../../ui/Notice.tsx";

export type AgentEvent = RecordOf<"/latest/events/list">;

export type Refusal = OutputOf<"/latest/agents/{agent_id}/webhook">["refused_events"][number];

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

const signatures: Record<NonNullable<AgentEvent["signature"]>, { tone: Tone; text: string; sentence: string }> = {
  valid: { tone: "good", text: "Valid", sentence: "The signature is valid." },
  invalid: {
    tone: "warn",
    text: "Invalid",
    sentence: "No accepted secret made its signature. It was accepted because signatures are not required.",
  },
  not_signed: {
    tone: "info",
    text: "Not signed",
    sentence: "It has no signature. It was accepted because signatures are not required.",
  },
  old_timestamp: {
    tone: "warn",
    text: "Old timestamp",
    sentence:
      "The signature is valid, but by its own time the event was more than seven days old: it may repeat an earlier one.",
  },
};

/** What became of an event's signature. It is not known of events from before it was kept. */
export const signatureOf = ({ signature }: Pick<AgentEvent, "signature">) =>
  signature === null
    ? { tone: "info" as const, text: "Not kept", sentence: "What became of its signature was not kept at the time." }
    : signatures[signature];

export const refusalWords: Record<Refusal["reason"], string> = {
  invalid: "Wrong signature: no accepted secret made it",
  not_signed: "Not signed",
};
