import type { Session } from "../access/callers/sessions.ts";
import type { Email } from "../access/email.ts";
import type { Person } from "../access/scope.ts";
import { listAccounts, type User } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { HashCaller } from "./passwords/hash-queue.ts";
import { findPasswordChange, isPasswordOf } from "./passwords/passwords.ts";
import { factorsOf } from "./second-factor/factors.ts";
import { refuseIfSsoRequired } from "./sso/required-sso.ts";

/** An account with this password, and when the password was set. */
export interface PasswordMatch {
  user: User;
  passwordSince: string | null;
}

/** The accounts of an address, and those of them with this password. */
export interface PasswordMatches {
  known: User[];
  matching: PasswordMatch[];
}

export interface PasswordComparison {
  organizationId: string | undefined;
  /** The accounts that may be compared now; null for all. */
  comparable: ReadonlySet<string> | null;
  caller: HashCaller;
}

/**
 * "A person known in two organizations has two accounts." Also compares once for an unknown address, so that timing
 * reveals nothing. Skips service users, which cannot sign in.
 */
export async function comparePassword(
  db: Db,
  email: Email,
  password: string,
  { organizationId, comparable, caller }: PasswordComparison,
): Promise<PasswordMatches> {
  const accounts = await listAccounts(db, email);
  const known = accounts.filter(
    (user) =>
      user.kind === "person" &&
      (organizationId === undefined || user.organizationId === organizationId) &&
      (comparable === null || comparable.has(user.id)),
  );
  if (known.length === 0) await isPasswordOf(db, null, password, caller);
  const opened = await Promise.all(
    known.map(async (user): Promise<PasswordMatch | null> => {
      // Read before the comparison, so that a password that is set during it counts as a later one.
      const passwordSince = await findPasswordChange(db, user.id);
      return (await isPasswordOf(db, user.id, password, caller)) ? { user, passwordSince } : null;
    }),
  );
  return { known, matching: opened.filter((each) => each !== null) };
}

/**
 * Whether the password is unchanged. Comparing it, and typing a code, takes time; a password that was changed in
 * between is refused.
 */
export const isStillPassword = async (db: Db, { user, passwordSince }: PasswordMatch): Promise<boolean> =>
  passwordSince !== null && (await findPasswordChange(db, user.id)) === passwordSince;

/** Only a person who has proved their identity sees these problems, so they may be specific. */
export async function refuseEntry(db: Db, user: User): Promise<void> {
  if (!user.active || user.kind !== "person") throw new Problem("account_deactivated");
  await refuseIfSsoRequired(db, user);
}

/** What is still missing after the right password. */
export type AfterPassword =
  | "nothing"
  /** A one-time code or a recovery code. */
  | "code"
  /** The organization requires a second factor, and the account has passkeys. */
  | "passkey"
  /** The organization requires a second factor, and the account has none. */
  | "set up";

/** An account with codes always needs one, whether or not the organization requires a second factor. */
export async function afterPassword(db: Db, user: User): Promise<AfterPassword> {
  const { passkeys, codes, required } = await factorsOf(db, user);
  if (codes > 0) return "code";
  if (!required) return "nothing";
  return passkeys > 0 ? "passkey" : "set up";
}

/** The person as the actor of audit rows, after signing in. */
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
