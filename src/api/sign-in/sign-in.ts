import * as z from "zod";
import { findOrganization } from "../../access/organizations.ts";
import { findUser, type User } from "../../access/users.ts";
import { type PublicScope, publicOperation, type Rooms } from "../../calls/define.ts";
import { beginChallenge, findChallenge, spendAttempt, takeChallenge } from "../../identity/challenges.ts";
import { askForPasskey, readPasskey, recordUse } from "../../identity/passkeys.ts";
import { knowsStrongly } from "../../identity/passwords/known-browser.ts";
import { useCode } from "../../identity/second-factor/codes.ts";
import {
  type AfterPassword,
  afterPassword,
  comparePassword,
  isStillPassword,
  type PasswordMatch,
  refuseEntry,
} from "../../identity/sign-in.ts";
import { findSsoFor } from "../../identity/sso/offer.ts";
import { Problem } from "../../kernel/problem.ts";
import { emailField, idField } from "../fields.ts";
import { enter, noteFailure, signedIn, signInOutput, withinTries } from "./entry.ts";
import { codeField, optionsAnswer, passkeyAnswerField, passkeyExample, passwordField, tokenField } from "./fields.ts";
import { withinAttemptLimit } from "./password-attempts.ts";

export const signInOperations = [
  publicOperation({
    path: "/latest/auth/sign_in/methods",
    area: "sign_in",
    summary: "Read how people of an address's domain sign in",
    description: "Depends only on the domain, so it does not reveal whether the address has an account.",
    audit: null,
    refuses: [],
    input: z.object({ email: emailField }),
    output: z.object({
      sso_url: z.string().nullable().meta({ description: "Where single sign-on starts; null if there is none" }),
      sso_label: z.string().nullable().meta({ description: "What the organization calls its identity provider" }),
      sso_required: z.boolean().meta({ description: "Whether it is the only way for the people of its organization" }),
    }),
    example: { email: "ada@example.com" },
    async run(scope, input) {
      const sso = await findSsoFor(scope.db, input.email.key);
      return { sso_url: sso?.url ?? null, sso_label: sso?.label ?? null, sso_required: sso?.required ?? false };
    },
  }),
  publicOperation({
    path: "/latest/auth/sign_in/password",
    area: "sign_in",
    summary: "Sign in with address and password",
    description:
      "Sets the session cookie. A person with accounts in several organizations must choose one. A person with one-time codes must send a code, here as `code` or with `auth/sign_in/code`. Failed attempts delay further attempts of the same sender, longer each time. They do not block a browser that has signed in before, a passkey or a mailed link.",
    audit: "session.created",
    refuses: ["sign_in_failed", "account_deactivated", "sso_required", "code_refused", "passwords_busy"],
    input: z.object({
      email: emailField,
      password: passwordField,
      organization_id: idField.optional().meta({ description: "Which of the person's accounts" }),
      code: codeField.optional(),
    }),
    output: signInOutput,
    example: { email: "ada@example.com", password: "a sentence that nobody guesses" },
    async run(scope, input, rooms) {
      const { email, password, organization_id: organizationId } = input;
      const matching = await withinAttemptLimit(scope, rooms, email, async (allowed) => {
        const tried = await comparePassword(scope.db, email, password, { organizationId, ...allowed });
        if (tried.matching.length > 0) return tried.matching;
        await noteFailure(scope, tried.known, { method: "password" });
        throw new Problem("sign_in_failed");
      });
      const open = matching.filter(({ user }) => user.active);
      const [opened, another] = open.length > 0 ? open : matching;
      if (!opened) throw new Problem("sign_in_failed");
      if (another && open.length > 1) {
        return choose(
          scope,
          open.map(({ user }) => user),
        );
      }
      await refuseEntry(scope.db, opened.user);
      return goOn(scope, opened, input.code, rooms);
    },
  }),
  publicOperation({
    path: "/latest/auth/sign_in/code",
    area: "sign_in",
    summary: "Finish signing in with a one-time code",
    description: "From the app, or one of the recovery codes. Each works once.",
    audit: "session.created",
    refuses: ["challenge_gone", "code_refused", "account_deactivated", "sso_required"],
    input: z.object({ sign_in_token: tokenField, code: codeField }),
    output: signInOutput,
    example: { sign_in_token: "0".repeat(43), code: "123456" },
    async run(scope, input, rooms) {
      const { sign_in_token: token } = input;
      const begun = await findChallenge(scope.db, "second_factor", token, scope.now());
      const user = begun?.userId == null ? null : await findUser(scope.db, begun.userId);
      if (!user || !(await spendAttempt(scope.db, token))) throw new Problem("challenge_gone");
      const since = begun?.details.password_since ?? null;
      await enterWithCode(scope, { user, passwordSince: since }, input.code, rooms, async (inside) => {
        const taken = await takeChallenge(inside.db, "second_factor", token, inside.now());
        const opened = { user, passwordSince: taken?.details.password_since ?? null };
        if (!taken || !(await isStillPassword(inside.db, opened))) throw new Problem("challenge_gone");
      });
      return signedIn(user);
    },
  }),
  publicOperation({
    path: "/latest/auth/sign_in/passkey/begin",
    area: "sign_in",
    summary: "Start a sign-in with a passkey",
    description: "Pass the response to the browser's `navigator.credentials.get`. It is valid once, for five minutes.",
    audit: null,
    refuses: [],
    input: z.object({}),
    output: z.object({ options: optionsAnswer }),
    example: {},
    run: async (scope, _input, rooms) => ({
      options: { ...(await askForPasskey(scope.db, rooms.pages, scope.now())) },
    }),
  }),
  publicOperation({
    path: "/latest/auth/sign_in/passkey/finish",
    area: "sign_in",
    summary: "Sign in with a passkey",
    description: "No address is needed: the passkey identifies the account. It counts as two factors.",
    audit: "session.created",
    refuses: ["challenge_gone", "passkey_refused", "account_deactivated", "sso_required"],
    input: z.object({ response: passkeyAnswerField }),
    output: signInOutput,
    example: { response: passkeyExample },
    async run(scope, input, rooms) {
      const read = await readPasskey(scope.db, input.response, rooms.pages, scope.now()).catch(
        async (error: unknown) => {
          await rooms.limits.admit(["auth_failure"], scope.ip);
          throw error;
        },
      );
      const user = await findUser(scope.db, read.passkey.userId);
      if (!user) throw new Problem("passkey_refused");
      await refuseEntry(scope.db, user);
      await enter(scope, user, "passkey", {
        async prove(inside) {
          await recordUse(inside.db, read, inside.now());
          return { passkey_id: read.passkey.id };
        },
      });
      return signedIn(user);
    },
  }),
];

async function choose(scope: PublicScope, users: User[]) {
  const organizations = await Promise.all(
    users.map(async ({ organizationId }) => ({
      organization_id: organizationId,
      name: (await findOrganization(scope.db, organizationId))?.name ?? "",
    })),
  );
  return {
    state: "choose_organization" as const,
    user_id: null,
    organization_id: null,
    sign_in_token: null,
    organizations,
  };
}

/** The password was right. `enter` checks again that it still is, and is still enough. */
async function goOn(scope: PublicScope, opened: PasswordMatch, code: string | undefined, rooms: Rooms) {
  const { user, passwordSince } = opened;
  const missing = await afterPassword(scope.db, user);
  const prove = async (inside: PublicScope) => {
    await requireStill(inside, opened, missing);
    return undefined;
  };
  switch (missing) {
    case "nothing":
      await enter(scope, user, "password", { prove });
      return signedIn(user);
    case "set up":
      await enter(scope, user, "password", { enrolling: true, prove });
      return signedIn(user, "set_up_second_factor");
    case "passkey":
      return signedIn(user, "passkey_required");
    case "code": {
      if (code !== undefined) {
        await enterWithCode(scope, opened, code, rooms, (inside) => requireStill(inside, opened, missing));
        return signedIn(user);
      }
      const details = passwordSince === null ? {} : { password_since: passwordSince };
      const begin = { userId: user.id, details, now: scope.now() };
      const { token } = await scope.db.transaction((tx) => beginChallenge(tx, "second_factor", begin));
      return { ...signedIn(user, "code_required"), sign_in_token: token };
    }
  }
}

async function requireStill(inside: PublicScope, opened: PasswordMatch, missing: AfterPassword): Promise<void> {
  const isSame = await isStillPassword(inside.db, opened);
  if (!isSame || (await afterPassword(inside.db, opened.user)) !== missing) throw new Problem("sign_in_failed");
}

/**
 * Six digits are few, so an account has ten wrong codes in a quarter of an hour, from all sources. Only a person with
 * the password gets here; a browser that has used a second factor before has ten attempts of its own.
 */
async function enterWithCode(
  scope: PublicScope,
  { user, passwordSince }: PasswordMatch,
  code: string,
  rooms: Rooms,
  before: (inside: PublicScope) => Promise<void>,
): Promise<void> {
  const { browser } = scope;
  const own = browser !== null && knowsStrongly(browser, user.id, passwordSince) ? ` browser ${browser.id}` : "";
  await withinTries(rooms, `codes:${user.id}${own}`, scope.ip, async () => {
    try {
      await enter(scope, user, "password_and_code", {
        async prove(inside) {
          await before(inside);
          const used = await useCode(inside.db, user.id, code, inside.now(), rooms.vault.keys);
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
