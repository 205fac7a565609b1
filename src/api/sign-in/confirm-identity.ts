import * as z from "zod";
import { confirmSession } from "../../access/callers/sessions.ts";
import { type ExternalScope, externalOperation, operation } from "../../calls/define-operation.ts";
import { readOwnPasskey, recordUse } from "../../identity/passkeys.ts";
import { findPasswordChange } from "../../identity/passwords/passwords.ts";
import { requirePassword } from "../../identity/replace-password.ts";
import { factorsOf } from "../../identity/second-factor/factors.ts";
import { codesOf } from "../../identity/second-factor/one-time-codes.ts";
import { timeField } from "../shared-fields.ts";
import { passkeyAnswerField, passkeyExample, passwordField } from "./sign-in-fields.ts";

const confirmedOutput = z.object({
  confirmed_at: timeField.meta({
    description: "For fifteen minutes from then on, the session may change how the account signs in",
  }),
});

/**
 * "Re-authentication before changing MFA, e-mail, keys" (ASVS 7.5.1). A key proves nothing about its holder, so only a
 * session is confirmed.
 */
const confirm = (scope: ExternalScope, method: string, prove?: (inside: ExternalScope["db"]) => Promise<void>) =>
  scope.change(async (inside) => {
    await prove?.(inside.db);
    const at = inside.now().toISOString();
    await confirmSession(inside.db, inside.actor.keyId, at);
    return { value: { confirmed_at: at }, target: inside.actor.keyId, details: { method } };
  });

export const confirmOperations = [
  operation({
    path: "/latest/auth/security/get",
    area: "sign_in",
    summary: "Read how your account signs in",
    needs: "account",
    whileEnrolling: true,
    audit: null,
    refuses: [],
    input: z.object({}),
    output: z.object({
      password_changed_at: timeField.nullable().meta({ description: "Null where the account has no password" }),
      passkeys: z.int().meta({ description: "How many" }),
      codes: z
        .object({ created_at: timeField, recovery_codes_left: z.int().meta({ description: "How many are unused" }) })
        .nullable()
        .meta({ description: "One-time codes; null where they are off" }),
      second_factor: z.enum(["optional", "required"]).meta({ description: "What the organization requires" }),
      enrolling: z.boolean().meta({ description: "Whether this session can do nothing but set up a second factor" }),
      confirmed_at: timeField.nullable().meta({ description: "When the session was last confirmed; null for a key" }),
    }),
    example: {},
    async run(scope) {
      const { userId, organizationId, enrolling, confirmedAt } = scope.actor;
      const { passkeys, required } = await factorsOf(scope.db, { id: userId, organizationId });
      const codes = await codesOf(scope.db, userId);
      return {
        password_changed_at: await findPasswordChange(scope.db, userId),
        passkeys,
        codes: codes && { created_at: codes.since, recovery_codes_left: codes.recoveryCodesLeft },
        second_factor: required ? ("required" as const) : ("optional" as const),
        enrolling: enrolling === true,
        confirmed_at: confirmedAt,
      };
    },
  }),
  externalOperation({
    path: "/latest/auth/confirm/password",
    area: "sign_in",
    summary: "Confirm who you are with your password",
    description:
      "Operations that change how the account signs in require it if the sign-in or the last confirmation is more than fifteen minutes ago.",
    needs: "full key",
    whileEnrolling: true,
    audit: "session.confirmed",
    answersWithChange: true,
    countsAs: "write",
    refuses: ["password_wrong", "passwords_busy"],
    input: z.object({ password: passwordField }),
    output: confirmedOutput,
    example: { password: "a sentence that nobody guesses" },
    async run(scope, input, rooms) {
      await requirePassword(scope, input.password, rooms.limits);
      return confirm(scope, "password");
    },
  }),
  externalOperation({
    path: "/latest/auth/confirm/passkey",
    area: "sign_in",
    summary: "Confirm who you are with a passkey of yours",
    description: "Takes the browser's response to `auth/sign_in/passkey/begin`.",
    needs: "full key",
    whileEnrolling: true,
    audit: "session.confirmed",
    answersWithChange: true,
    countsAs: "write",
    refuses: ["challenge_gone", "passkey_refused"],
    input: z.object({ response: passkeyAnswerField }),
    output: confirmedOutput,
    example: { response: passkeyExample },
    async run(scope, input, rooms) {
      const read = await readOwnPasskey(scope, input.response, rooms.pages);
      return confirm(scope, "passkey", (db) => recordUse(db, read, scope.now()));
    },
  }),
];
