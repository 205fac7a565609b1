import { isSlowToList, noteMembers } from "../kernel/large-objects.ts";
import { mayHoldShape, type Pausing, scrubbing } from "../kernel/scrub-secrets.ts";
import { Secret } from "../kernel/secret.ts";
import { nextTurn, turnAlone, workInSlices } from "../kernel/work-in-slices.ts";
import { isLarge, type KnownLarge, sliceWeight, writeInSlices } from "../kernel/write-in-slices.ts";
import {
  hide,
  isSecretName,
  mayHoldField,
  type RedactionTargets,
  redact,
  redactDepthMax,
  redactingFields,
  redactionTargets,
  redactKnown,
  redactValue,
  secretMark,
} from "./redact.ts";

const windowCharacters = 256 * 1024;
/** No field name is longer. */
const nameCharactersMax = 64;

/** A value without its secrets, and its JSON. */
export interface Redacted {
  value: unknown;
  text: string;
}

/** Told how long the event loop worked on a large value, for the budget of its organization. */
export type Charge = (milliseconds: number) => void;

/** A value without its secrets, if it is so small that it was redacted at once. */
interface RedactedAtOnce {
  value: unknown;
}

/** Like `redactForStorage`, for a caller that needs the JSON of a small value later, or not at all. */
export function redactUnwritten(
  value: unknown,
  names: readonly string[] | undefined,
  charge?: Charge,
): RedactedAtOnce | Promise<Redacted> {
  if (isLarge(value)) return redactForStorageInSlices(value, names, charge);
  return { value: redact(value, [], names) };
}

/** Redacts a value before it is stored: at once, unless it is so large that it would block the event loop. */
export function redactForStorage(
  value: unknown,
  names: readonly string[] | undefined,
  charge?: Charge,
): Redacted | Promise<Redacted> {
  if (isLarge(value)) return redactForStorageInSlices(value, names, charge);
  const kept = redact(value, [], names);
  return { value: kept, text: JSON.stringify(kept) };
}

/**
 * Like `redact`, for a value of any size: at once, unless it is so large that it would block the event loop. What comes
 * before, such as reading it from the store, has a turn of its own.
 */
export const redactAnySize = (value: unknown, names: readonly string[] = []): unknown | Promise<unknown> =>
  isLarge(value) ? nextTurn().then(() => redactInSlices(value, [], names)) : redact(value, [], names);

async function redactForStorageInSlices(
  value: unknown,
  names: readonly string[] | undefined,
  charge: Charge | undefined,
): Promise<Redacted> {
  const kept = await redactInSlices(value, [], names, charge);
  const text = await writeInSlices(kept);
  // The caller writes megabytes to the store next.
  await nextTurn();
  return { value: kept, text };
}

/** Like `redact`, yielding to the event loop every few milliseconds. */
export async function redactInSlices(
  value: unknown,
  secrets: readonly string[],
  names: readonly string[] = [],
  charge?: Charge,
): Promise<unknown> {
  const targets: RedactionTargets = redactionTargets(secrets, names);
  const { turn, milliseconds } = workInSlices();

  /** A small part is processed at once. */
  const known: KnownLarge = new WeakSet();
  const isSmall = (part: unknown): boolean => !isLarge(part, sliceWeight, known);

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
      const kept = isSmall(item) ? redactValue(item, targets, depthLeft) : await redactPart(item, depthLeft);
      const pause = turn();
      if (pause) await pause;
      if (kept === item) continue;
      copy ??= [...list];
      copy[index] = kept;
    }
    return copy ?? list;
  }

  async function redactMembers(object: Record<string, unknown>, depthLeft: number): Promise<Record<string, unknown>> {
    if (isSlowToList(object)) await turnAlone();
    const all = Object.keys(object);
    let copy: Record<string, unknown> | null = null;
    for (let index = 0; index < all.length; index++) {
      const name = all[index] as string;
      const member = object[name];
      const redacted = redactMember(name, member, depthLeft);
      const kept = redacted instanceof Promise ? await redacted : redacted;
      const keptName = redactKnown(name, targets.needles);
      const pause = turn();
      if (pause) await pause;
      if (copy === null && kept === member && keptName === name) continue;
      copy ??= Object.fromEntries(all.slice(0, index).map((before) => [before, object[before]]));
      Object.defineProperty(copy, keptName, { value: kept, enumerable: true, writable: true, configurable: true });
    }
    if (copy) noteMembers(copy, all.length);
    return copy ?? object;
  }

  function redactMember(name: string, member: unknown, depthLeft: number): unknown {
    if (isSecretName(name) || targets.names.includes(name)) return hide(member);
    return isSmall(member) ? redactValue(member, targets, depthLeft) : redactPart(member, depthLeft);
  }

  async function redactText(text: string): Promise<string> {
    const rest = redactKnown(text, targets.needles);
    const scrubbed = mayHoldShape(rest) ? await runWithPauses(scrubbing(rest)) : rest;
    return (await holdsField(scrubbed)) ? runWithPauses(redactingFields(scrubbed)) : scrubbed;
  }

  async function holdsField(text: string): Promise<boolean> {
    for (let at = 0; at < text.length; at += windowCharacters) {
      if (mayHoldField.test(text.slice(at, at + windowCharacters + nameCharactersMax))) return true;
      const pause = turn();
      if (pause) await pause;
    }
    return false;
  }

  async function runWithPauses(work: Pausing): Promise<string> {
    for (;;) {
      const { done, value: result } = work.next();
      if (done) return result;
      const pause = turn();
      if (pause) await pause;
    }
  }

  const redacted = isSmall(value)
    ? redactValue(value, targets, redactDepthMax)
    : await redactPart(value, redactDepthMax);
  charge?.(milliseconds());
  return redacted;
}
