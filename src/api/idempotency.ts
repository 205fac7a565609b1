import { hash } from "node:crypto";
import { canonicalJson } from "../kernel/json.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { Seal } from "../vault/seal.ts";
import {
  type AnswerPlace,
  deleteAnswer,
  findAnswer,
  forgetAnswersBefore,
  forgetSecretsBefore,
  insertAnswer,
} from "./idempotency.store.ts";

export type { AnswerPlace } from "./idempotency.store.ts";

const keepHours = 24;
const keepSecretHours = 1;

/** The header's value: a structured string in quotes, or the bare text; 1 to 255 visible characters. */
export function readIdempotencyKey(header: string): string {
  const bare = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1]?.replace(/\\(.)/g, "$1") ?? header;
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(bare)) throw new Problem("idempotency_key_invalid");
  return bare;
}

export const fingerprintOf = (body: unknown): string => hash("sha256", canonicalJson(body), "hex");

/**
 * The answer of an earlier call with this key, or null where there was none. Asked in the transaction of the effect, behind
 * the organization's other writers: a call that is still running has either finished by now or left nothing.
 */
export async function repeatAnswer(
  db: Db,
  seal: Seal,
  place: AnswerPlace,
  fingerprint: string,
  now: Date,
): Promise<string | null> {
  const kept = await findAnswer(db, place);
  if (!kept) return null;
  if (kept.createdAt < hoursBefore(now, keepHours)) {
    await deleteAnswer(db, place);
    return null;
  }
  if (kept.fingerprint !== fingerprint) throw new Problem("idempotency_mismatch");
  if (!kept.sealed && kept.body !== null) return kept.body;
  if (kept.body === null || kept.createdAt < hoursBefore(now, keepSecretHours)) {
    throw new Problem("idempotency_answer_gone");
  }
  return seal.open(kept.body, sealPlace(place));
}

export async function keepAnswer(
  db: Db,
  seal: Seal,
  place: AnswerPlace,
  answer: { fingerprint: string; body: string; holdsSecret: boolean; now: Date },
): Promise<void> {
  await insertAnswer(db, place, {
    fingerprint: answer.fingerprint,
    body: answer.holdsSecret ? seal.seal(answer.body, sealPlace(place)) : answer.body,
    sealed: answer.holdsSecret,
    createdAt: answer.now.toISOString(),
  });
}

/** Secrets go after an hour, all the rest after a day. */
export async function forgetOldAnswers(db: Db, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await forgetSecretsBefore(tx, hoursBefore(now, keepSecretHours));
    await forgetAnswersBefore(tx, hoursBefore(now, keepHours));
  });
}

const sealPlace = (place: AnswerPlace): string =>
  `idempotent_answers|${place.userId}|${place.projectId}|${place.path}|${place.idempotencyKey}`;

const hoursBefore = (now: Date, hours: number): string => new Date(now.getTime() - hours * 3_600_000).toISOString();
