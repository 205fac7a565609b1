import { createHash } from "node:crypto";
import { updateInSlices } from "../../kernel/hash-in-slices.ts";
import { parseStrictlyInSlices } from "../../kernel/parse-strictly-in-slices.ts";
import { ordinaryMax } from "../../kernel/strict-json.ts";
import { nameOfEvent } from "../../systems/event-senders.ts";

/** An event as its sender wrote it. */
export interface ReadEvent {
  /** Our name for it if we have one, else the sender's. */
  type: string;
  systemType: string;
  /** The names under which rules match it. */
  names: string[];
  repeatKey: string;
  /**
   * As expressions and runs see it: everything that was sent, with our name for it as `type` and `on`, and the sender's
   * as `system_type`.
   */
  value: Record<string, unknown>;
}

/** "`{{event.type}}` and `on` speak one language": a rule that uses the sender's name for an event also finds that name in it. */
export const valueFor = ({ value, names }: ReadEvent, on: string): Record<string, unknown> =>
  names.includes(on) && value.type !== on ? { ...value, type: on } : value;

/** The name of events whose senders give them none. */
export const unnamed = "unnamed";
const nameShape = /^[\x20-\x7e]{1,200}$/;
const idShape = /^[\x21-\x7e]{1,200}$/;

/** Null if the text is no JSON object; there are no other conditions. */
export async function readEvent(text: string): Promise<ReadEvent | null> {
  const value = await readObject(text);
  if (!value) return null;
  const systemType = typeof value.type === "string" && nameShape.test(value.type) ? value.type : unnamed;
  const type = nameOfEvent(systemType) ?? systemType;
  return {
    type,
    systemType,
    names: [...new Set([type, systemType])],
    repeatKey: await repeatKeyOf(value, text),
    value: { ...value, ...(type === systemType ? {} : { type, system_type: systemType }), on: type },
  };
}

/** "Event id …, or body hash": a system repeats an event with the same id, other senders with the same bytes. */
async function repeatKeyOf({ id }: Record<string, unknown>, text: string): Promise<string> {
  if (typeof id === "string" && idShape.test(id)) return `id:${id}`;
  return `sha256:${(await updateInSlices(createHash("sha256"), Buffer.from(text))).digest("hex")}`;
}

async function readObject(text: string): Promise<Record<string, unknown> | null> {
  try {
    const value = await parseStrictlyInSlices(text, 100, ordinaryMax);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // Not JSON. The caller refuses it, and counts the refusal.
    return null;
  }
}
