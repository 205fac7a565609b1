import { giveWay, nextTurn } from "../kernel/give-way.ts";
import { mayHoldShape, type Pausing, scrubbing } from "../kernel/scrub.ts";
import { Secret } from "../kernel/secret.ts";
import { isLarge, sliceWeight, writeInSlices } from "../kernel/write-in-slices.ts";
import {
  hide,
  isSecretName,
  mayHoldField,
  redact,
  redactDepthMax,
  redactingFields,
  redactKnown,
  redactValue,
  type Sought,
  secretMark,
  soughtOf,
} from "./redact.ts";

const windowLetters = 256 * 1024;
/** No name of a field is longer. */
const nameLetters = 64;

/** A value without its secrets, and its JSON. */
export interface Kept {
  value: unknown;
  text: string;
}

/** What may be kept of a value. At once, unless it is so large that others would have to wait. */
export function keptOf(value: unknown, names: readonly string[] | undefined): Kept | Promise<Kept> {
  if (isLarge(value)) return keptInSlices(value, names);
  const kept = redact(value, [], names);
  return { value: kept, text: JSON.stringify(kept) };
}

async function keptInSlices(value: unknown, names: readonly string[] | undefined): Promise<Kept> {
  const kept = await redactInSlices(value, [], names);
  const text = await writeInSlices(kept);
  // Who keeps it writes megabytes to the store.
  await nextTurn();
  return { value: kept, text };
}

/** What `redact` gives, with a turn for everybody else after every few milliseconds. */
export async function redactInSlices(
  value: unknown,
  secrets: readonly string[],
  names: readonly string[] = [],
): Promise<unknown> {
  const sought: Sought = soughtOf(secrets, names);
  const turn = giveWay();

  /** A part that is small is done at once. */
  const isSmall = (part: unknown): boolean => !isLarge(part, sliceWeight);

  async function redactPart(part: unknown, depthLeft: number): Promise<unknown> {
    if (typeof part === "string") return redactText(part);
    if (part === null || typeof part !== "object") return part;
    if (part instanceof Secret || depthLeft === 0) return secretMark;
    if (Array.isArray(part)) return redactList(part, depthLeft - 1);
    return redactMembers(part as Record<string, unknown>, depthLeft - 1);
  }

  async function redactList(list: readonly unknown[], depthLeft: number): Promise<readonly unknown[]> {
    let copy: unknown[] | null = null;
    for (let index = 0; index < list.length; index++) {
      const item = list[index];
      const kept = isSmall(item) ? redactValue(item, sought, depthLeft) : await redactPart(item, depthLeft);
      const pause = turn();
      if (pause) await pause;
      if (kept === item) continue;
      copy ??= [...list];
      copy[index] = kept;
    }
    return copy ?? list;
  }

  async function redactMembers(object: Record<string, unknown>, depthLeft: number): Promise<Record<string, unknown>> {
    const all = Object.keys(object);
    let copy: Record<string, unknown> | null = null;
    for (let index = 0; index < all.length; index++) {
      const name = all[index] as string;
      const member = object[name];
      const redacted = redactMember(name, member, depthLeft);
      const kept = redacted instanceof Promise ? await redacted : redacted;
      const keptName = redactKnown(name, sought.needles);
      const pause = turn();
      if (pause) await pause;
      if (copy === null && kept === member && keptName === name) continue;
      copy ??= Object.fromEntries(all.slice(0, index).map((before) => [before, object[before]]));
      Object.defineProperty(copy, keptName, { value: kept, enumerable: true, writable: true, configurable: true });
    }
    return copy ?? object;
  }

  function redactMember(name: string, member: unknown, depthLeft: number): unknown {
    if (isSecretName(name) || sought.names.includes(name)) return hide(member);
    return isSmall(member) ? redactValue(member, sought, depthLeft) : redactPart(member, depthLeft);
  }

  async function redactText(text: string): Promise<string> {
    const rest = redactKnown(text, sought.needles);
    const scrubbed = mayHoldShape(rest) ? await drive(scrubbing(rest)) : rest;
    return (await holdsField(scrubbed)) ? drive(redactingFields(scrubbed)) : scrubbed;
  }

  async function holdsField(text: string): Promise<boolean> {
    for (let at = 0; at < text.length; at += windowLetters) {
      if (mayHoldField.test(text.slice(at, at + windowLetters + nameLetters))) return true;
      const pause = turn();
      if (pause) await pause;
    }
    return false;
  }

  async function drive(work: Pausing): Promise<string> {
    for (;;) {
      const { done, value: result } = work.next();
      if (done) return result;
      const pause = turn();
      if (pause) await pause;
    }
  }

  return isSmall(value) ? redactValue(value, sought, redactDepthMax) : redactPart(value, redactDepthMax);
}
