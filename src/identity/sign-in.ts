import type { Session } from "../access/callers/sessions.ts";
import type { Email } from "../access/email.ts";
import type { Person } from "../access/scope.ts";
import { accountsOf, type User } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { HashCaller } from "./passwords/hash-queue.ts";
import { isPasswordOf, passwordChangedAt } from "./passwords/passwords.ts";
import { factorsOf } from "./second-factor/factors.ts";
import { refuseIfSsoRequired } from "./sso/offer.ts";

/** An account that opened with a password, and since when that has been its password. */
export interface PasswordMatch {
  user: User;
  passwordSince: string | null;
}

/** The accounts of an address, and those of them that open with this password. */
export interface PasswordMatches {
  known: User[];
  fitting: PasswordMatch[];
}

export interface WhatToCompare {
  organizationId: string | undefined;
  /** The accounts that may be compared now; all of them where it is null. */
  comparable: ReadonlySet<string> | null;
  caller: HashCaller;
}

/**
 * "A person known in two organizations has two accounts." One comparison is made for an address that nobody has, too. An
 * account for automation has no address that anybody could type, and is passed over if it had.
 */
export async function comparePassword(
  db: Db,
  email: Email,
  password: string,
  { organizationId, comparable, caller }: WhatToCompare,
): Promise<PasswordMatches> {
  const accounts = await accountsOf(db, email);
  const known = accounts.filter(
    (user) =>
      user.kind === "person" &&
      (organizationId === undefined || user.organizationId === organizationId) &&
      (comparable === null || comparable.has(user.id)),
  );
  if (known.length === 0) await isPasswordOf(db, null, password, caller);
  const opened = await Promise.all(
    known.map(async (user): Promise<PasswordMatch | null> => {
      // Read before: a password that is set while this one is compared is a later one.
      const passwordSince = await passwordChangedAt(db, user.id);
      return (await isPasswordOf(db, user.id, password, caller)) ? { user, passwordSince } : null;
    }),
  );
  return { known, fitting: opened.filter((each) => each !== null) };
}

/** Comparing takes its time, and so does typing a code: was the password changed meanwhile, it has opened nothing. */
export const isStillPassword = async (db: Db, { user, passwordSince }: PasswordMatch): Promise<boolean> =>
  passwordSince !== null && (await passwordChangedAt(db, user.id)) === passwordSince;

/** Only whoever has shown who they are is told these, so they may say what is the matter. */
export async function refuseEntry(db: Db, user: User): Promise<void> {
  if (!user.active || user.kind !== "person") throw new Problem("account_deactivated");
  await refuseIfSsoRequired(db, user);
}

/** What is still missing once the password was right. */
export type AfterPassword =
  | "nothing"
  /** Of the app for one-time codes, or from the list of recovery codes. */
  | "code"
  /** The organization asks for a second factor, and the account has passkeys for that. */
  | "passkey"
  /** It asks for one, and there is none yet. */
  | "set up";

/** Whoever has set up codes is asked for one, whether or not the organization wants it. */
export async function afterPassword(db: Db, user: User): Promise<AfterPassword> {
  const { passkeys, codes, required } = await factorsOf(db, user);
  if (codes > 0) return "code";
  if (!required) return "nothing";
  return passkeys > 0 ? "passkey" : "set up";
}

/** The person as the audit log names them, from the moment they are in. */
export const asPerson = (user: User, session: Session): Person => ({
  kind: "person",
  userId: user.id,
  email: user.email,
  organizationId: user.organizationId,
  organizationRole: user.organizationRole,
  keyId: session.id,
  by: "session",
  confirmedAt: session.confirmedAt,
  keyProjectIds: null,
  keyMaxRole: null,
});
