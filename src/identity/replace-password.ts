import { endSessionsOf } from "../access/callers/sessions.ts";
import type { Email } from "../access/email.ts";
import type { Outbox } from "../access/mails/mail-queue.ts";
import { findOrganization } from "../access/organizations.ts";
import type { AnyScope, Scope } from "../access/scope.ts";
import { findUser, listAccounts, markAddressVerified, type User } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import {
  beginChallenge,
  commitWithoutEffect,
  countChallenges,
  deleteChallengesOf,
  findChallenge,
  takeChallenge,
} from "./challenges.ts";
import { type SignInLimits, withinTries } from "./count-wrong-codes.ts";
import { isPasswordOf, preparePassword, setPassword } from "./passwords/passwords.ts";
import type { PublicScope } from "./public-scope.ts";

/** Checks the password of a person who is signed in. Wrong attempts count as at sign-in. */
export async function requirePassword(scope: Scope, plain: string, limits: SignInLimits): Promise<void> {
  const { userId, organizationId } = scope.actor;
  const caller = { region: scope.region, organizationId };
  await withinTries(limits, `password:${userId}`, scope.ip, async () => {
    if (!(await isPasswordOf(scope.db, userId, plain, caller))) throw new Problem("password_wrong");
  });
}

type PreparedPassword = Awaited<ReturnType<typeof preparePassword>>;

/**
 * Sets the password, in the caller's transaction. Links to set another one are invalid from then on, and all sessions
 * end but the one that is kept. Returns how many.
 */
export async function replacePassword(
  scope: AnyScope,
  { userId, keepSession }: { userId: string; keepSession?: string },
  password: PreparedPassword,
  outbox: Outbox,
): Promise<number> {
  await setPassword(scope.db, userId, password, scope.now());
  await deleteChallengesOf(scope.db, userId, "password_reset");
  const ended = await endSessionsOf(scope.db, userId, scope.now().toISOString(), keepSession);
  await mailChange(scope, userId, outbox);
  return ended;
}

/** Notifies the person of the change, which another person may have made. */
async function mailChange(scope: AnyScope, userId: string, outbox: Outbox): Promise<void> {
  const user = await findUser(scope.db, userId);
  if (!user) return;
  const { email, name, organizationId } = user;
  const organization = (await findOrganization(scope.db, organizationId))?.name ?? "";
  const details = { organization, organization_id: organizationId, email, name, at: scope.now().toISOString() };
  await outbox.enqueue(scope, email, "password_changed", details);
}

/** "Nobody is flooded with mails": at most this many links in this many minutes. */
const linksMax = 5;
const linkMinutes = 15;

/** Mails a link to every account of the address. An address without one costs the same time. */
export async function requestReset(scope: PublicScope, email: Email, outbox: Outbox): Promise<void> {
  const accounts = await listAccounts(scope.db, email);
  const reachable = accounts.filter((user) => user.active && user.kind === "person");
  if (reachable.length === 0) await commitWithoutEffect(scope.db, scope.now());
  for (const user of reachable) {
    // Checked first, so that a flood does not block the organization's writers, and again under the lock.
    const mailed = !(await hasLinks(scope, user)) && (await mailLink(scope, user, outbox).catch(unlessEnough));
    if (!mailed) await commitWithoutEffect(scope.db, scope.now());
  }
}

async function mailLink(scope: PublicScope, user: User, outbox: Outbox): Promise<true> {
  const organization = (await findOrganization(scope.db, user.organizationId))?.name ?? "";
  return scope.change(user.organizationId, async (inside) => {
    if (await hasLinks(inside, user)) throw new EnoughLinks();
    const begin = { userId: user.id, details: { email_key: user.emailKey }, now: inside.now() };
    const { token, expiresAt } = await beginChallenge(inside.db, "password_reset", begin);
    const { email, name, organizationId } = user;
    const whose = { organization, organization_id: organizationId, email, name };
    const details = { token, ...whose, expires_at: expiresAt };
    await outbox.enqueue(inside, user.email, "password_reset", details);
    return { value: true, action: "password.reset_requested", target: user.id };
  });
}

class EnoughLinks extends Error {}

function unlessEnough(error: unknown): false {
  if (error instanceof EnoughLinks) return false;
  throw error;
}

/**
 * Anyone can request a link, so a request must not invalidate earlier links: each of the last few keeps most of its
 * hour.
 */
const hasLinks = async ({ db, now }: AnyScope, { id }: User): Promise<boolean> => {
  const since = new Date(now().getTime() - linkMinutes * 60_000);
  return (await countChallenges(db, id, "password_reset", since)) >= linksMax;
};

/** Sets a new password with the link from the mail. Returns how many sessions ended. */
export async function resetPassword(
  scope: PublicScope,
  token: string,
  newPassword: string,
  outbox: Outbox,
): Promise<number> {
  const begun = await findChallenge(scope.db, "password_reset", token, scope.now());
  const user = begun?.userId == null ? null : await findUser(scope.db, begun.userId);
  if (!user?.active) throw new Problem("challenge_gone");
  const password = await preparePassword(newPassword, user.email, {
    pointer: "#/new_password",
    caller: { region: scope.region, organizationId: user.organizationId },
  });
  const ended = await scope.change(user.organizationId, async (inside) => {
    const taken = await takeChallenge(inside.db, "password_reset", token, inside.now());
    const now = await findUser(inside.db, user.id);
    // A link to a former address of the account is invalid.
    if (!taken || !now?.active || taken.details.email_key !== now.emailKey) throw new Problem("challenge_gone");
    await markAddressVerified(inside.db, now, inside.now());
    const value = await replacePassword(inside, { userId: user.id }, password, outbox);
    return { value, action: "password.reset", target: user.id, details: { sessions_ended: value } };
  });
  // Failed attempts of strangers do not matter here: the person has proved that they read the account's mails.
  scope.rememberBrowser(user.id, false);
  return ended;
}
