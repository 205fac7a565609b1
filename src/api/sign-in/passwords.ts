import * as z from "zod";
import { endSessionsOf, requireConfirmed } from "../../access/callers/sessions.ts";
import { findOrganization } from "../../access/organizations.ts";
import type { AnyScope, Scope } from "../../access/scope.ts";
import { accountsOf, findUser, markAddressVerified, type User } from "../../access/users.ts";
import { externalOperation, publicOperation, type Rooms } from "../../calls/define.ts";
import {
  beginChallenge,
  commitWithoutEffect,
  countChallenges,
  deleteChallengesOf,
  findChallenge,
  takeChallenge,
} from "../../identity/challenges.ts";
import { findPasswordChange, isPasswordOf, preparePassword, setPassword } from "../../identity/passwords/passwords.ts";
import { withinTries } from "../../identity/within-tries.ts";
import { Problem } from "../../kernel/problem.ts";
import { emailField } from "../fields.ts";
import { newPasswordField, passwordField, tokenField } from "./fields.ts";

export const passwordOperations = [
  externalOperation({
    path: "/latest/auth/password/change",
    area: "sign_in",
    summary: "Change your password",
    description:
      "Requires the current password; an account without one gets its first password here. Ends your other sessions; API keys keep working.",
    needs: "full key",
    audit: "password.changed",
    refuses: ["password_wrong", "confirmation_required", "passwords_busy"],
    input: z.object({
      current_password: passwordField.optional().meta({ description: "Required if the account has one" }),
      new_password: newPasswordField,
    }),
    output: z.object({ changed: z.literal(true), sessions_ended: z.int() }),
    example: { current_password: "the one before", new_password: "a sentence that nobody guesses" },
    async run(scope, input, rooms) {
      const { userId, email, keyId, organizationId } = scope.actor;
      if ((await findPasswordChange(scope.db, userId)) === null) requireConfirmed(scope.actor, scope.now());
      else await requirePassword(scope, input.current_password ?? "", rooms);
      const password = await preparePassword(input.new_password, email, {
        pointer: "#/new_password",
        caller: { region: scope.region, organizationId },
      });
      const changed = await scope.change(async (inside) => {
        await setPassword(inside.db, userId, password, inside.now());
        await deleteChallengesOf(inside.db, userId, "password_reset");
        const ended = await endSessionsOf(inside.db, userId, inside.now().toISOString(), keyId);
        await mailChange(inside, userId, rooms);
        return { value: { changed: true as const, sessions_ended: ended }, details: { sessions_ended: ended } };
      });
      if (scope.actor.by === "session") scope.rememberBrowser?.(userId, false);
      return changed;
    },
  }),
  publicOperation({
    path: "/latest/auth/password/forgot",
    area: "sign_in",
    summary: "Request a link to set a new password",
    description:
      "The response is the same for every address. The link is sent by mail, works once, and expires after an hour.",
    audit: "password.reset_requested",
    refuses: [],
    input: z.object({ email: emailField }),
    output: z.object({ sent: z.literal(true).meta({ description: "If the address has an account" }) }),
    example: { email: "ada@example.com" },
    async run(scope, input, rooms) {
      const accounts = await accountsOf(scope.db, input.email);
      const reachable = accounts.filter((user) => user.active && user.kind === "person");
      if (reachable.length === 0) await commitWithoutEffect(scope.db, scope.now());
      for (const user of reachable) {
        const organization = (await findOrganization(scope.db, user.organizationId))?.name ?? "";
        // Checked first, so that a flood does not block the organization's writers, and again under the lock.
        const mailed = !(await hasLinks(scope, user)) && (await mailLink(user, organization).catch(unlessEnough));
        if (!mailed) await commitWithoutEffect(scope.db, scope.now());
      }
      return { sent: true as const };

      async function mailLink(user: User, organization: string): Promise<true> {
        return scope.change(user.organizationId, async (inside) => {
          if (await hasLinks(inside, user)) throw new EnoughLinks();
          const begin = { userId: user.id, details: { email_key: user.emailKey }, now: inside.now() };
          const { token, expiresAt } = await beginChallenge(inside.db, "password_reset", begin);
          const { email, name, organizationId } = user;
          const whose = { organization, organization_id: organizationId, email, name };
          const details = { token, ...whose, expires_at: expiresAt };
          await rooms.outbox.enqueue(inside, user.email, "password_reset", details);
          return { value: true, action: "password.reset_requested", target: user.id };
        });
      }
    },
  }),
  publicOperation({
    path: "/latest/auth/password/reset",
    area: "sign_in",
    summary: "Set a new password with the link from the mail",
    description:
      "Ends all sessions of the account, and opens none: the next sign-in asks for the second factor as usual.",
    audit: "password.reset",
    refuses: ["challenge_gone", "passwords_busy"],
    input: z.object({ token: tokenField, new_password: newPasswordField }),
    output: z.object({ changed: z.literal(true), sessions_ended: z.int() }),
    example: { token: "0".repeat(43), new_password: "a sentence that nobody guesses" },
    async run(scope, input, rooms) {
      const begun = await findChallenge(scope.db, "password_reset", input.token, scope.now());
      const user = begun?.userId == null ? null : await findUser(scope.db, begun.userId);
      if (!user?.active) throw new Problem("challenge_gone");
      const password = await preparePassword(input.new_password, user.email, {
        pointer: "#/new_password",
        caller: { region: scope.region, organizationId: user.organizationId },
      });
      const changed = await scope.change(user.organizationId, async (inside) => {
        const taken = await takeChallenge(inside.db, "password_reset", input.token, inside.now());
        const now = await findUser(inside.db, user.id);
        // A link to a former address of the account is invalid.
        if (!taken || !now?.active || taken.details.email_key !== now.emailKey) throw new Problem("challenge_gone");
        await setPassword(inside.db, user.id, password, inside.now());
        await markAddressVerified(inside.db, now, inside.now());
        await deleteChallengesOf(inside.db, user.id, "password_reset");
        const ended = await endSessionsOf(inside.db, user.id, inside.now().toISOString());
        await mailChange(inside, user.id, rooms);
        return {
          value: { changed: true as const, sessions_ended: ended },
          action: "password.reset",
          target: user.id,
          details: { sessions_ended: ended },
        };
      });
      // Failed attempts of strangers do not matter here: the person has proved that they read the account's mails.
      scope.rememberBrowser(user.id, false);
      return changed;
    },
  }),
];

/** "Nobody is flooded with mails": at most this many links in this many minutes. */
const linksMax = 5;
const linkMinutes = 15;

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

/** Checks the password of a person who is signed in. Wrong attempts count as at sign-in. */
export async function requirePassword(scope: Scope, plain: string, rooms: Rooms): Promise<void> {
  const { userId, organizationId } = scope.actor;
  const caller = { region: scope.region, organizationId };
  await withinTries(rooms.limits, `password:${userId}`, scope.ip, async () => {
    if (!(await isPasswordOf(scope.db, userId, plain, caller))) throw new Problem("password_wrong");
  });
}

/** Notifies the person of the change, which another person may have made. */
async function mailChange(scope: AnyScope, userId: string, rooms: Rooms): Promise<void> {
  const user = await findUser(scope.db, userId);
  if (!user) return;
  const { email, name, organizationId } = user;
  const organization = (await findOrganization(scope.db, organizationId))?.name ?? "";
  const details = { organization, organization_id: organizationId, email, name, at: scope.now().toISOString() };
  await rooms.outbox.enqueue(scope, email, "password_changed", details);
}
