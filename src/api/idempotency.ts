import { hash } from "node:crypto";
import { canonicalJson } from "../kernel/json.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { Seal } from "../vault/seal.ts";
import {
  type AnswerPlace,
  deleteAnswer,
  deleteUnbegun,
  findAnswer,
  forgetAnswersBefore,
  forgetSecretsBefore,
  insertAnswer,
  updateAnswer,
} from "./idempotency.store.ts";

export type { AnswerPlace } from "./idempotency.store.ts";

const keepHours = 24;
const keepSecretHours = 1;
// A call that has begun nothing that could be named has surely ended by then.
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
      if (kept.createdAt > hoursBefore(now, giveUpHours)) throw new Problem("idempotency_in_progress");
      await deleteAnswer(db, place);
      return { kind: "none" };
  }
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
  });
}

/**
 * A call that runs outside of a transaction takes its place before it does anything. Such calls bring passwords; a plain hash of
 * the body would let whoever reads the store try out millions of them in a second, so it is sealed.
 */
export async function takePlace(
  db: Db,
  seal: Seal,
  place: AnswerPlace,
  wanted: { fingerprint: string; now: Date },
): Promise<void> {
  const fingerprint = seal.seal(wanted.fingerprint, fingerprintPlace(place));
  await insertAnswer(db, place, { fingerprint, body: null, kind: "running", createdAt: wanted.now.toISOString() });
}

/** A plain one is a hash in hexadecimal. */
const openFingerprint = (seal: Seal, place: AnswerPlace, kept: string): string =>
  /^[0-9a-f]*$/.test(kept) ? kept : seal.open(kept, fingerprintPlace(place));

export const noteBegun = (db: Db, place: AnswerPlace, reference: string): Promise<void> =>
  updateAnswer(db, place, { body: reference, kind: "running" });

export const keepAnswerAt = (db: Db, place: AnswerPlace, body: string): Promise<void> =>
  updateAnswer(db, place, { body, kind: "plain" });

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
