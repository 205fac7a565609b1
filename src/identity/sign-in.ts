import type { Email } from "../access/email.ts";
import { findOrganization, type Organization } from "../access/organizations.ts";
import { findUser, type User } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { beginChallenge, findChallenge, spendAttempt, takeChallenge } from "./challenges.ts";
import {
  type AfterPassword,
  afterPassword,
  comparePassword,
  isStillPassword,
  type PasswordMatch,
  refuseEntry,
} from "./compare-password.ts";
import { enter, noteFailure } from "./complete-sign-in.ts";
import { type SignInLimits, withinTries } from "./count-wrong-codes.ts";
import type { PageOrigin } from "./page-origin.ts";
import { readPasskey, recordUse } from "./passkeys.ts";
import { knowsStrongly } from "./passwords/known-browser.ts";
import { type AttemptLimits, withinAttemptLimit } from "./passwords/within-attempt-limit.ts";
import type { PublicScope } from "./public-scope.ts";
import { useCode } from "./second-factor/one-time-codes.ts";

export interface SignInPorts {
  limits: SignInLimits;
  keys: DataKeys;
}

/** How far a sign-in has come. */
export type SignInState =
  | { state: "signed in" | "set up" | "passkey"; user: User }
  /** The token continues the sign-in with a code. */
  | { state: "code"; user: User; token: string }
  /** The password fits the accounts of several organizations. */
  | { state: "choose"; organizations: Pick<Organization, "id" | "name">[] };

export interface PasswordSignIn {
  email: Email;
  password: string;
  /** Which of the person's accounts. */
  organizationId: string | undefined;
  code: string | undefined;
}

export async function signInWithPassword(
  scope: PublicScope,
  { email, password, organizationId, code }: PasswordSignIn,
  ports: SignInPorts & { limits: AttemptLimits },
): Promise<SignInState> {
  const matching = await withinAttemptLimit(scope, ports.limits, email, async (allowed) => {
    const tried = await comparePassword(scope.db, email, password, { organizationId, ...allowed });
    if (tried.matching.length > 0) return tried.matching;
    await noteFailure(scope, tried.known, { method: "password" });
    throw new Problem("sign_in_failed");
  });
  return afterRightPassword(scope, matching, code, ports);
}

/** The password was right, for these accounts. */
async function afterRightPassword(
  scope: PublicScope,
  matching: readonly PasswordMatch[],
  code: string | undefined,
  ports: SignInPorts,
): Promise<SignInState> {
  const open = matching.filter(({ user }) => user.active);
  const [opened] = open.length > 0 ? open : matching;
  if (!opened) throw new Problem("sign_in_failed");
  if (open.length > 1) return { state: "choose", organizations: await organizationsOf(scope, open) };
  await refuseEntry(scope.db, opened.user);
  return enterWithPassword(scope, opened, code, ports);
}

const organizationsOf = (scope: PublicScope, open: readonly PasswordMatch[]) =>
  Promise.all(
    open.map(async ({ user: { organizationId: id } }) => ({
      id,
      name: (await findOrganization(scope.db, id))?.name ?? "",
    })),
  );

/** `enter` checks again that the password still is right, and is still enough. */
async function enterWithPassword(
  scope: PublicScope,
  opened: PasswordMatch,
  code: string | undefined,
  ports: SignInPorts,
): Promise<SignInState> {
  const { user, passwordSince } = opened;
  const missing = await afterPassword(scope.db, user);
  const prove = async (inside: PublicScope) => {
    await requireStill(inside, opened, missing);
    return undefined;
  };
  switch (missing) {
    case "nothing":
      await enter(scope, user, "password", { prove });
      return { state: "signed in", user };
    case "set up":
      await enter(scope, user, "password", { enrolling: true, prove });
      return { state: "set up", user };
    case "passkey":
      return { state: "passkey", user };
    case "code": {
      if (code !== undefined) {
        await enterWithCode(scope, opened, code, ports, (inside) => requireStill(inside, opened, missing));
        return { state: "signed in", user };
      }
      const details = passwordSince === null ? {} : { password_since: passwordSince };
      const begin = { userId: user.id, details, now: scope.now() };
      const { token } = await scope.db.transaction((tx) => beginChallenge(tx, "second_factor", begin));
      return { state: "code", user, token };
    }
  }
}

async function requireStill(inside: PublicScope, opened: PasswordMatch, missing: AfterPassword): Promise<void> {
  const isSame = await isStillPassword(inside.db, opened);
  if (!isSame || (await afterPassword(inside.db, opened.user)) !== missing) throw new Problem("sign_in_failed");
}

/** The second half of a sign-in whose password was right. */
export async function finishWithCode(
  scope: PublicScope,
  token: string,
  code: string,
  ports: SignInPorts,
): Promise<User> {
  const begun = await findChallenge(scope.db, "second_factor", token, scope.now());
  const user = begun?.userId == null ? null : await findUser(scope.db, begun.userId);
  if (!user || !(await spendAttempt(scope.db, token))) throw new Problem("challenge_gone");
  const since = begun?.details.password_since ?? null;
  await enterWithCode(scope, { user, passwordSince: since }, code, ports, async (inside) => {
    const taken = await takeChallenge(inside.db, "second_factor", token, inside.now());
    const opened = { user, passwordSince: taken?.details.password_since ?? null };
    if (!taken || !(await isStillPassword(inside.db, opened))) throw new Problem("challenge_gone");
  });
  return user;
}

/**
 * Six digits are few, so an account has ten wrong codes in a quarter of an hour, from all sources. Only a person with
 * the password gets here; a browser that has used a second factor before has ten attempts of its own.
 */
async function enterWithCode(
  scope: PublicScope,
  { user, passwordSince }: PasswordMatch,
  code: string,
  { limits, keys }: SignInPorts,
  before: (inside: PublicScope) => Promise<void>,
): Promise<void> {
  const { browser } = scope;
  const own = browser !== null && knowsStrongly(browser, user.id, passwordSince) ? ` browser ${browser.id}` : "";
  await withinTries(limits, `codes:${user.id}${own}`, scope.ip, async () => {
    try {
      await enter(scope, user, "password_and_code", {
        async prove(inside) {
          await before(inside);
          const used = await useCode(inside.db, user.id, code, inside.now(), keys);
          if (used === null) throw new Problem("code_refused");
          return { second_factor: used };
        },
      });
    } catch (error) {
      if (error instanceof Problem && error.code === "code_refused") {
        await noteFailure(scope, [user], { method: "code" });
      }
      throw error;
    }
  });
}

/** A passkey counts as two factors. */
export async function enterWithPasskey(
  scope: PublicScope,
  response: Parameters<typeof readPasskey>[1],
  { pages, limits }: { pages: PageOrigin; limits: SignInLimits },
): Promise<User> {
  const read = await readPasskey(scope.db, response, pages, scope.now()).catch(async (error: unknown) => {
    await limits.admit(["auth_failure"], scope.ip);
    throw error;
  });
  const user = await findUser(scope.db, read.passkey.userId);
  if (!user) throw new Problem("passkey_refused");
  await refuseEntry(scope.db, user);
  await enter(scope, user, "passkey", {
    async prove(inside) {
      await recordUse(inside.db, read, inside.now());
      return { passkey_id: read.passkey.id };
    },
  });
  return user;
}
