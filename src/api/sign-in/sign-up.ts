import * as z from "zod";
import { joiningOf } from "../../access/invites.ts";
import { roles } from "../../access/permissions.ts";
import { announceAccepted } from "../../calls/announce-to-organization.ts";
import { publicOperation } from "../../calls/define-operation.ts";
import { asPerson } from "../../identity/compare-password.ts";
import { preparePassword } from "../../identity/passwords/passwords.ts";
import {
  beginSignUp,
  finishSignUp,
  previewInvite,
  refuseSignUpIfSsoRequired,
  requireSignUp,
} from "../../identity/sign-up.ts";
import { sentCode } from "../access/invites.ts";
import { idField, nameField, timeField } from "../shared-fields.ts";
import { signedIn, signInOutput } from "./session-response.ts";
import { newPasswordField, tokenField } from "./sign-in-fields.ts";

const inviteCode = idField.meta({ description: "The code of the invite, from its mail" });

export const signUpOperations = [
  publicOperation({
    path: "/latest/auth/sign_up/look",
    area: "sign_in",
    summary: "Read an invite before accepting it",
    description:
      "Shows who invites whom to which project. It does not reveal whether the invited address has an account in another organization.",
    audit: null,
    refuses: ["invite_not_found", "invite_already_accepted", "invite_expired"],
    input: z.object({ invite_code: inviteCode }),
    output: z.object({
      email: z.string().meta({ description: "The address it was sent to" }),
      organization: z.string().meta({ description: "The name of the organization" }),
      project: z.string().meta({ description: "The name of the project" }),
      role: z.enum(roles).meta({ description: "The role that the person will have in the project" }),
      invited_by: z.string().meta({ description: "The address of the sender" }),
      invited_by_name: z.string().meta({ description: "The name of the sender; empty where none is known" }),
      expires_at: timeField,
    }),
    example: { invite_code: "inv_us_…" },
    async run(scope, input, rooms) {
      const seen = await previewInvite(scope, sentCode(input.invite_code, rooms));
      return {
        email: seen.invite.email,
        organization: seen.organizationName,
        project: seen.projectName,
        role: seen.invite.permissions.role,
        invited_by: seen.invitedBy,
        invited_by_name: seen.invitedByName,
        expires_at: seen.invite.expiresAt,
      };
    },
  }),
  publicOperation({
    path: "/latest/auth/sign_up/begin",
    area: "sign_in",
    summary: "Sign up as an invited person",
    description:
      "Sends another code to the invited address, because the sender of the invite knows the invite code too. Without a password, add a passkey as soon as you have signed up.",
    audit: "sign_up.begun",
    countsAs: "write",
    refuses: ["invite_not_found", "invite_already_accepted", "invite_expired", "sso_required", "passwords_busy"],
    input: z.object({ invite_code: inviteCode, name: nameField, password: newPasswordField.optional() }),
    output: z.object({
      sign_up_token: z.string().meta({ description: "For `auth/sign_up/finish`" }),
      expires_at: timeField,
    }),
    example: { invite_code: "inv_us_…", name: "Ada", password: "a sentence that nobody guesses" },
    async run(scope, input, rooms) {
      const seen = await previewInvite(scope, sentCode(input.invite_code, rooms));
      await refuseSignUpIfSsoRequired(scope, seen);
      const caller = { region: scope.region, organizationId: seen.organizationId };
      const password =
        input.password === undefined
          ? null
          : await preparePassword(input.password, seen.invite.email, { pointer: "#/password", caller });
      // Each call sends a mail, so the number for one invite is limited.
      await rooms.limits.admit(["sign_in_failure"], `sign_up:${input.invite_code}`);
      const begun = await scope.change(seen.organizationId, async (inside) => {
        const value = await beginSignUp(inside, scope.seal, {
          invite: seen.invite,
          name: input.name,
          password,
        });
        const details = {
          code: value.code,
          name: input.name,
          project: seen.projectName,
          organization: seen.organizationName,
          organization_id: seen.organizationId,
          expires_at: value.expiresAt,
        };
        await rooms.outbox.enqueue(inside, seen.invite.email, "sign_up_code", details);
        return {
          value,
          action: "sign_up.begun",
          target: seen.invite.code,
          projectId: seen.invite.projectId,
          details: { email: seen.invite.email },
        };
      });
      return { sign_up_token: begun.token, expires_at: begun.expiresAt };
    },
  }),
  publicOperation({
    path: "/latest/auth/sign_up/finish",
    area: "sign_in",
    summary: "Finish signing up with the code from the mail",
    description:
      "Creates the account, its membership in every project with a pending invite, and the session, in one transaction.",
    audit: "user.signed_up",
    countsAs: "write",
    refuses: [
      "challenge_gone",
      "code_refused",
      "invite_not_found",
      "invite_already_accepted",
      "invite_expired",
      "email_taken",
      "sso_required",
    ],
    input: z.object({
      sign_up_token: tokenField,
      code: z.string().min(1).max(20).meta({ description: "The eight digits from the mail" }),
    }),
    output: signInOutput,
    example: { sign_up_token: "0".repeat(43), code: "12345678" },
    async run(scope, input, rooms) {
      const { sign_up_token: signUpToken, code } = input;
      const seen = await previewInvite(scope, await requireSignUp(scope, { token: signUpToken, code }, rooms.limits));
      const { organizationId } = seen;
      const done = await scope.change(organizationId, async (inside) => {
        await refuseSignUpIfSsoRequired(inside, seen);
        const { user, accepted, session, token, enrolling } = await finishSignUp(inside, signUpToken, scope.userAgent);
        for (const invite of accepted) await announceAccepted(inside, rooms, organizationId, user.id, invite);
        return {
          value: { user, token, enrolling },
          actor: asPerson(user, session),
          action: "user.signed_up",
          target: user.id,
          details: { email: user.email, session_id: session.id },
          also: accepted.map((invite) => joiningOf(invite, user)),
        };
      });
      scope.setSession(done.token);
      scope.rememberBrowser(done.user.id, false);
      return signedIn(done.user, done.enrolling ? "set_up_second_factor" : "signed_in");
    },
  }),
];
