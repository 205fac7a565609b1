import * as z from "zod";
import { requireConfirmed } from "../../access/callers/sessions.ts";
import { externalOperation, publicOperation } from "../../calls/define-operation.ts";
import { findPasswordChange, preparePassword } from "../../identity/passwords/passwords.ts";
import { replacePassword, requestReset, requirePassword, resetPassword } from "../../identity/replace-password.ts";
import { emailField } from "../shared-fields.ts";
import { newPasswordField, passwordField, tokenField } from "./sign-in-fields.ts";

export const passwordOperations = [
  externalOperation({
    path: "/latest/auth/password/change",
    area: "sign_in",
    summary: "Change your password",
    description:
      "Requires the current password; an account without one gets its first password here. Ends your other sessions; API keys keep working.",
    needs: "full key",
    audit: "password.changed",
    answersWithChange: true,
    countsAs: "write",
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
      else await requirePassword(scope, input.current_password ?? "", rooms.limits);
      const password = await preparePassword(input.new_password, email, {
        pointer: "#/new_password",
        caller: { region: scope.region, organizationId },
      });
      const changed = await scope.change(async (inside) => {
        const ended = await replacePassword(inside, { userId, keepSession: keyId }, password, rooms.outbox);
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
    countsAs: "write",
    refuses: [],
    input: z.object({ email: emailField }),
    output: z.object({ sent: z.literal(true).meta({ description: "If the address has an account" }) }),
    example: { email: "ada@example.com" },
    async run(scope, input, rooms) {
      await requestReset(scope, input.email, rooms.outbox);
      return { sent: true as const };
    },
  }),
  publicOperation({
    path: "/latest/auth/password/reset",
    area: "sign_in",
    summary: "Set a new password with the link from the mail",
    description:
      "Ends all sessions of the account, and opens none: the next sign-in asks for the second factor as usual.",
    audit: "password.reset",
    countsAs: "write",
    refuses: ["challenge_gone", "passwords_busy"],
    input: z.object({ token: tokenField, new_password: newPasswordField }),
    output: z.object({ changed: z.literal(true), sessions_ended: z.int() }),
    example: { token: "0".repeat(43), new_password: "a sentence that nobody guesses" },
    async run(scope, input, rooms) {
      const ended = await resetPassword(scope, input.token, input.new_password, rooms.outbox);
      return { changed: true as const, sessions_ended: ended };
    },
  }),
];
