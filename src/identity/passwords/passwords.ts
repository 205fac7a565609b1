import { Problem } from "../../kernel/problem.ts";
import { randomGroups } from "../../kernel/random.ts";
import type { Db } from "../../store/db.ts";
import { weaknessOf } from "./common-passwords.ts";
import { hashPassword, matchesHash } from "./hash.ts";
import type { HashCaller } from "./hash-queue.ts";
import { findPasswordHash, upsertPassword } from "./passwords.store.ts";

export { copyPassword, findPasswordChange } from "./passwords.store.ts";

export const passwordCharactersMin = 12;
export const passwordCharactersMax = 256;

/** A password that passed the checks, as its hash. */
export interface NewPassword {
  hash: string;
}

/**
 * Checks and hashes a new password. This takes some thirty milliseconds, so it happens before the transaction that
 * stores it. `pointer` is the position of the password in the body.
 */
export async function preparePassword(
  plain: string,
  email: string,
  { pointer, caller }: { pointer: string; caller: HashCaller },
): Promise<NewPassword> {
  const weakness = reasonAgainst(plain, email);
  if (weakness === null) return { hash: await hashPassword(plain, caller) };
  throw new Problem("validation_failed", `This password cannot be used. ${weakness}`, {
    errors: [{ pointer, code: "weak_password", detail: weakness }],
  });
}

function reasonAgainst(plain: string, email: string): string | null {
  const characters = [...plain].length;
  if (characters < passwordCharactersMin) return `It has fewer than ${passwordCharactersMin} characters.`;
  if (characters > passwordCharactersMax) return `It has more than ${passwordCharactersMax} characters.`;
  return weaknessOf(plain, email);
}

export const setPassword = (db: Db, userId: string, password: NewPassword, now: Date): Promise<void> =>
  upsertPassword(db, userId, password.hash, now.toISOString());

/** Call it outside of transactions: it is slow, and takes the same time without a password or an account. */
export async function isPasswordOf(db: Db, userId: string | null, plain: string, caller: HashCaller): Promise<boolean> {
  return matchesHash(plain, userId === null ? null : await findPasswordHash(db, userId), caller);
}

/** A generated password with 100 random bits. */
export const newPassword = (): string => randomGroups(4, 5);
