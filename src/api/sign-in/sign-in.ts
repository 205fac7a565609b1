import * as z from "zod";
import { publicOperation, type Rooms } from "../../calls/define-operation.ts";
import { subjectOf } from "../../calls/rate-limits/counted-subject.ts";
import { askForPasskey } from "../../identity/passkeys.ts";
import {
  enterWithPasskey,
  finishWithCode,
  type SignInPorts,
  type SignInState,
  signInWithPassword,
} from "../../identity/sign-in.ts";
import { findSsoFor } from "../../identity/sso/required-sso.ts";
import { emailField, idField } from "../shared-fields.ts";
import { signedIn, signInOutput } from "./session-response.ts";
import {
  codeField,
  optionsAnswer,
  passkeyAnswerField,
  passkeyExample,
  passwordField,
  tokenField,
} from "./sign-in-fields.ts";

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
    countsAs: "write",
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
      const { email, password, organization_id: organizationId, code } = input;
      const limits = { ...rooms.limits, networkOf: subjectOf };
      const wish = { email, password, organizationId, code };
      return toSignIn(await signInWithPassword(scope, wish, { ...portsOf(rooms), limits }));
    },
  }),
  publicOperation({
    path: "/latest/auth/sign_in/code",
    area: "sign_in",
    summary: "Finish signing in with a one-time code",
    description: "From the app, or one of the recovery codes. Each works once.",
    audit: "session.created",
    countsAs: "write",
    refuses: ["challenge_gone", "code_refused", "account_deactivated", "sso_required"],
    input: z.object({ sign_in_token: tokenField, code: codeField }),
    output: signInOutput,
    example: { sign_in_token: "0".repeat(43), code: "123456" },
    async run(scope, input, rooms) {
      return signedIn(await finishWithCode(scope, input.sign_in_token, input.code, portsOf(rooms)));
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
    countsAs: "write",
    refuses: ["challenge_gone", "passkey_refused", "account_deactivated", "sso_required"],
    input: z.object({ response: passkeyAnswerField }),
    output: signInOutput,
    example: { response: passkeyExample },
    async run(scope, input, rooms) {
      return signedIn(await enterWithPasskey(scope, input.response, { pages: rooms.pages, limits: rooms.limits }));
    },
  }),
];

const portsOf = ({ limits, vault }: Rooms): SignInPorts => ({ limits, keys: vault.keys });

const wireStates = {
  "signed in": "signed_in",
  "set up": "set_up_second_factor",
  passkey: "passkey_required",
} as const;

function toSignIn(signIn: SignInState): z.input<typeof signInOutput> {
  if (signIn.state === "code") return { ...signedIn(signIn.user, "code_required"), sign_in_token: signIn.token };
  if (signIn.state !== "choose") return signedIn(signIn.user, wireStates[signIn.state]);
  const organizations = signIn.organizations.map(({ id, name }) => ({ organization_id: id, name }));
  return { state: "choose_organization", user_id: null, organization_id: null, sign_in_token: null, organizations };
}
