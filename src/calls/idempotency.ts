import { hash } from "node:crypto";
import { hashInSlices } from "../kernel/hash-in-slices.ts";
import { Problem } from "../kernel/problem.ts";
import { canonicalJson } from "../kernel/strict-json.ts";
import { isLarge } from "../kernel/write-in-slices.ts";
import type { Db } from "../store/db.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import {
  deleteAnswer,
  findAnswer,
  forgetAnswersBefore,
  forgetSecretsBefore,
  type IdempotencySlot,
  insertAnswer,
  type KeptAnswer,
  updateAnswer,
  updateHolder,
} from "./idempotency.store.ts";

export type { IdempotencySlot } from "./idempotency.store.ts";

const keepHours = 24;
const keepSecretHours = 1;
// Releases before leases wrote no `lease_until`. A call of such a release that named nothing has ended after this time.
const giveUpHours = 0.25;

/** The header holds a structured string in quotes, or the bare text: 1 to 255 visible characters. */
export function readIdempotencyKey(header: string): string {
  const bare = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1]?.replace(/\\(.)/g, "$1") ?? header;
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(bare)) throw new Problem("idempotency_key_invalid");
  return bare;
}

export const fingerprintOf = (body: unknown): string => hash("sha256", canonicalJson(body), "hex");

/** The same; a large body is read in slices. */
export const fingerprintOfBody = (body: unknown): string | Promise<string> =>
  isLarge(body) ? hashInSlices(body) : fingerprintOf(body);

/** What an earlier call with the same key left in the slot. */
export type Earlier =
  | { kind: "none" }
  /** The call runs, or died before it began anything. Another call may take the slot over after `until`. */
  | { kind: "running"; holder: string | null; until: Date }
  | { kind: "answered"; body: string }
  /** The call runs, or a crash ended it. `reference` names what it began. */
  | { kind: "begun"; reference: string };

/**
 * Runs in the transaction of the effect, after the organization's lock: a call that changes the store in one transaction has
 * either finished by now or left nothing.
 */
export async function findEarlier(
  db: Db,
  seal: Seal,
  slot: IdempotencySlot,
  fingerprint: string,
  expiryNow: Date,
): Promise<Earlier> {
  const kept = await findAnswer(db, slot);
  if (!kept) return { kind: "none" };
  if (kept.createdAt < hoursBefore(expiryNow, keepHours)) {
    await deleteAnswer(db, slot);
    return { kind: "none" };
  }
  if (openFingerprint(seal, slot, kept.fingerprint) !== fingerprint) throw new Problem("idempotency_mismatch");
  switch (kept.kind) {
    case "plain":
      return { kind: "answered", body: kept.body ?? "{}" };
    case "secret":
      if (kept.body === null || kept.createdAt < hoursBefore(expiryNow, keepSecretHours)) {
        throw new Problem("idempotency_answer_gone");
      }
      return { kind: "answered", body: seal.open(kept.body, sealContext(slot)) };
    case "running":
      if (kept.body !== null) return { kind: "begun", reference: kept.body };
      return { kind: "running", holder: kept.holder, until: endOfLease(kept) };
  }
}

function endOfLease({ leaseUntil, createdAt }: KeptAnswer): Date {
  if (leaseUntil === "") return new Date(0);
  return leaseUntil === null ? new Date(new Date(createdAt).getTime() + giveUpHours * 3_600_000) : new Date(leaseUntil);
}

export interface AnswerToKeep {
  fingerprint: string;
  body: string;
  holdsSecret: boolean;
  now: Date;
}

export async function keepAnswer(db: Db, seal: Seal, slot: IdempotencySlot, answer: AnswerToKeep): Promise<void> {
  await insertAnswer(db, slot, {
    fingerprint: answer.fingerprint,
    body: answer.holdsSecret ? seal.seal(answer.body, sealContext(slot)) : answer.body,
    kind: answer.holdsSecret ? "secret" : "plain",
    createdAt: answer.now.toISOString(),
    holder: null,
    leaseUntil: null,
  });
}

/** The call that claims a slot. */
export interface SlotClaim {
  fingerprint: string;
  holder: string;
  /** Read from the clock that all nodes share. */
  leaseNow: Date;
  leaseUntil: Date;
  now: Date;
}

/**
 * A call that runs outside of a transaction claims its slot first. Its body may hold a password, so the fingerprint is sealed:
 * a reader of the store could test millions of passwords a second against a plain hash.
 */
export async function claimSlot(db: Db, seal: Seal, slot: IdempotencySlot, wish: SlotClaim): Promise<void> {
  const { holder, leaseUntil, now } = wish;
  await insertAnswer(db, slot, {
    fingerprint: seal.seal(wish.fingerprint, fingerprintContext(slot)),
    body: null,
    kind: "running",
    createdAt: now.toISOString(),
    holder,
    leaseUntil: leaseUntil.toISOString(),
  });
}

/** Takes the slot of a call whose lease has expired. One of several callers gets it; the others learn when to retry. */
export async function takeOverSlot(
  db: Db,
  slot: IdempotencySlot,
  earlier: Extract<Earlier, { kind: "running" }>,
  { holder, leaseNow, leaseUntil, now }: SlotClaim,
): Promise<void> {
  const left = earlier.until.getTime() - leaseNow.getTime();
  if (left > 0) throw stillRunning(left);
  const to = { holder, leaseUntil: leaseUntil.toISOString(), createdAt: now.toISOString() };
  if (!(await updateHolder(db, slot, { from: earlier.holder, to }))) throw stillRunning();
}

/** Another call with the same key runs. */
export const stillRunning = (milliseconds = 0): Problem =>
  new Problem("idempotency_in_progress", undefined, {
    headers: { "retry-after": String(Math.max(1, Math.ceil(milliseconds / 1000))) },
  });

/** An unsealed fingerprint is a hash in hexadecimal. */
const openFingerprint = (seal: Seal, slot: IdempotencySlot, kept: string): string =>
  /^[0-9a-f]*$/.test(kept) ? kept : seal.open(kept, fingerprintContext(slot));

/** Throws where another call has taken the slot over: the transaction of this one must not commit. */
export async function saveReference(db: Db, slot: IdempotencySlot, holder: string, reference: string): Promise<void> {
  if (!(await updateAnswer(db, slot, holder, { body: reference, kind: "running" }))) throw stillRunning();
}

/** The same for a change whose value is the answer. */
export async function saveAnswer(db: Db, slot: IdempotencySlot, holder: string, body: string): Promise<void> {
  if (!(await updateAnswer(db, slot, holder, { body, kind: "plain" }))) throw stillRunning();
}

/** The same check for a change that names nothing. */
export async function requireSlot(db: Db, slot: IdempotencySlot, holder: string): Promise<void> {
  if ((await findAnswer(db, slot))?.holder !== holder) throw stillRunning();
}

/** Deletes answers with secrets after an hour, all others after a day. */
export async function forgetOldAnswers(db: Db, now: Date): Promise<void> {
  await forgetSecretsBefore(db, hoursBefore(now, keepSecretHours));
  await forgetAnswersBefore(db, hoursBefore(now, keepHours));
}

const sealContext = (slot: IdempotencySlot): string =>
  `idempotent_answers|${slot.userId}|${slot.projectId}|${slot.path}|${slot.idempotencyKey}`;

const fingerprintContext = (slot: IdempotencySlot): string => `${sealContext(slot)}|fingerprint`;

const hoursBefore = (now: Date, hours: number): string => new Date(now.getTime() - hours * 3_600_000).toISOString();
