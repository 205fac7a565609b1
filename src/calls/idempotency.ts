import { hash } from "node:crypto";
import { canonicalJson } from "../kernel/json.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import {
  type AnswerPlace,
  deleteAnswer,
  deleteUnbegun,
  findAnswer,
  forgetAnswersBefore,
  forgetSecretsBefore,
  insertAnswer,
  type KeptAnswer,
  takeOverPlace,
  updateAnswer,
} from "./idempotency.store.ts";

export type { AnswerPlace } from "./idempotency.store.ts";

const keepHours = 24;
const keepSecretHours = 1;
// A call of a program from before there were leases, which has begun nothing that could be named, has surely ended by then.
const giveUpHours = 0.25;

/** The header's value: a structured string in quotes, or the bare text; 1 to 255 visible characters. */
export function readIdempotencyKey(header: string): string {
  const bare = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1]?.replace(/\\(.)/g, "$1") ?? header;
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(bare)) throw new Problem("idempotency_key_invalid");
  return bare;
}

export const fingerprintOf = (body: unknown): string => hash("sha256", canonicalJson(body), "hex");

/** What an earlier call with the same key has left. */
export type Earlier =
  | { kind: "none" }
  /** It runs, or has died without having begun anything: then its lease is over at that time, and the place is another's. */
  | { kind: "running"; holder: string | null; until: Date }
  | { kind: "answered"; body: string }
  /** Still running, or ended by a crash: `reference` names what it had begun. */
  | { kind: "begun"; reference: string };

/**
 * Asked in the transaction of the effect, behind the organization's other writers: a call that runs inside its transaction
 * has either finished by now or left nothing.
 */
export async function lookForEarlier(
  db: Db,
  seal: Seal,
  place: AnswerPlace,
  fingerprint: string,
  now: Date,
): Promise<Earlier> {
  const kept = await findAnswer(db, place);
  if (!kept) return { kind: "none" };
  if (kept.createdAt < hoursBefore(now, keepHours)) {
    await deleteAnswer(db, place);
    return { kind: "none" };
  }
  if (openFingerprint(seal, place, kept.fingerprint) !== fingerprint) throw new Problem("idempotency_mismatch");
  switch (kept.kind) {
    case "plain":
      return { kind: "answered", body: kept.body ?? "{}" };
    case "secret":
      if (kept.body === null || kept.createdAt < hoursBefore(now, keepSecretHours)) {
        throw new Problem("idempotency_answer_gone");
      }
      return { kind: "answered", body: seal.open(kept.body, sealPlace(place)) };
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

export async function keepAnswer(db: Db, seal: Seal, place: AnswerPlace, answer: AnswerToKeep): Promise<void> {
  await insertAnswer(db, place, {
    fingerprint: answer.fingerprint,
    body: answer.holdsSecret ? seal.seal(answer.body, sealPlace(place)) : answer.body,
    kind: answer.holdsSecret ? "secret" : "plain",
    createdAt: answer.now.toISOString(),
    holder: null,
    leaseUntil: null,
  });
}

/** A call that takes a place, or has it. */
export interface PlaceWish {
  fingerprint: string;
  holder: string;
  /** By the clock of the lease. */
  leaseNow: Date;
  leaseUntil: Date;
  now: Date;
}

/**
 * A call that runs outside of a transaction takes its place before it does anything. Such calls bring passwords; a plain hash of
 * the body would let whoever reads the store try out millions of them in a second, so it is sealed.
 */
export async function takePlace(db: Db, seal: Seal, place: AnswerPlace, wish: PlaceWish): Promise<void> {
  const { holder, leaseUntil, now } = wish;
  await insertAnswer(db, place, {
    fingerprint: seal.seal(wish.fingerprint, fingerprintPlace(place)),
    body: null,
    kind: "running",
    createdAt: now.toISOString(),
    holder,
    leaseUntil: leaseUntil.toISOString(),
  });
}

/** The place of a call that has died. Of several who come for it one has it; whoever comes too early is told when to come again. */
export async function takeOver(
  db: Db,
  place: AnswerPlace,
  earlier: Extract<Earlier, { kind: "running" }>,
  { holder, leaseNow, leaseUntil, now }: PlaceWish,
): Promise<void> {
  const left = earlier.until.getTime() - leaseNow.getTime();
  if (left > 0) throw stillRunning(left);
  const to = { holder, leaseUntil: leaseUntil.toISOString(), createdAt: now.toISOString() };
  if (!(await takeOverPlace(db, place, { from: earlier.holder, to }))) throw stillRunning();
}

/** Another call with the same key is at it. */
export const stillRunning = (milliseconds = 0): Problem =>
  new Problem("idempotency_in_progress", undefined, {
    headers: { "retry-after": String(Math.max(1, Math.ceil(milliseconds / 1000))) },
  });

/** A plain one is a hash in hexadecimal. */
const openFingerprint = (seal: Seal, place: AnswerPlace, kept: string): string =>
  /^[0-9a-f]*$/.test(kept) ? kept : seal.open(kept, fingerprintPlace(place));

/** Throws where the call was taken for dead meanwhile, and its place is another's: nothing of it may stay. */
export async function noteBegun(db: Db, place: AnswerPlace, holder: string, reference: string): Promise<void> {
  if (!(await updateAnswer(db, place, holder, { body: reference, kind: "running" }))) throw stillRunning();
}

/** The same for a change that names nothing. */
export async function requirePlace(db: Db, place: AnswerPlace, holder: string): Promise<void> {
  if ((await findAnswer(db, place))?.holder !== holder) throw stillRunning();
}

/** Whoever has lost the place leaves it to the one who has it. */
export const keepAnswerAt = (db: Db, place: AnswerPlace, holder: string, body: string): Promise<boolean> =>
  updateAnswer(db, place, holder, { body, kind: "plain" });

/** Nothing came of it: the key may be used again. What has been begun keeps its place. */
export const leavePlace = deleteUnbegun;

/** Secrets go after an hour, all the rest after a day. */
export async function forgetOldAnswers(db: Db, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await forgetSecretsBefore(tx, hoursBefore(now, keepSecretHours));
    await forgetAnswersBefore(tx, hoursBefore(now, keepHours));
  });
}

const sealPlace = (place: AnswerPlace): string =>
  `idempotent_answers|${place.userId}|${place.projectId}|${place.path}|${place.idempotencyKey}`;

const fingerprintPlace = (place: AnswerPlace): string => `${sealPlace(place)}|fingerprint`;

const hoursBefore = (now: Date, hours: number): string => new Date(now.getTime() - hours * 3_600_000).toISOString();
