import { Problem } from "../../kernel/problem.ts";
import { randomGroups } from "../../kernel/random.ts";
import type { Db } from "../../store/db.ts";
import { weaknessOf } from "./common-passwords.ts";
import { fitsHash, hashPassword } from "./hash.ts";
import type { HashCaller } from "./hash-queue.ts";
import { copyPasswordRow, findPasswordChange, findPasswordHash, upsertPassword } from "./passwords.store.ts";

export const passwordCharactersMin = 12;
export const passwordCharactersMax = 256;

/** A password that was found good, and is nothing but its hash any longer. */
export interface NewPassword {
  hash: string;
}

/**
 * Looks at a wish and hashes it. Takes some thirty milliseconds, so it is done before the transaction that keeps it.
 * `pointer` is where the wish stands in the body.
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

export const keepPassword = (db: Db, userId: string, password: NewPassword, now: Date): Promise<void> =>
  upsertPassword(db, userId, password.hash, now.toISOString());

/** Never inside a transaction: it takes its time, and the same time for an account without a password or for nobody. */
export async function isPasswordOf(db: Db, userId: string | null, plain: string, caller: HashCaller): Promise<boolean> {
  return fitsHash(plain, userId === null ? null : await findPasswordHash(db, userId), caller);
}

/** When it was last changed; null where the account has none. */
export const passwordChangedAt = (db: Db, userId: string): Promise<string | null> => findPasswordChange(db, userId);

/** Only together with whatever the password asks for: `copyCredentials` sees to that. */
export const copyPassword = (db: Db, from: string, to: string): Promise<void> => copyPasswordRow(db, from, to);

/** For whoever is given one: 100 random bits. */
export const newPassword = (): string => randomGroups(4, 5);
