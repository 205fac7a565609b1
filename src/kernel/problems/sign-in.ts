import type { Catalogue } from "./catalogue.ts";

/** Sessions, and how people prove who they are. */
export const signInProblems = {
  session_ended: {
    status: 401,
    title: "Session ended",
    means: "The session was ended, has expired, or has not been used for twelve hours.",
    remedy: "Sign in again.",
  },
  session_not_found: {
    status: 404,
    title: "Session not found",
    means: "No open session of yours has this id.",
    remedy: "`auth/sessions/list` shows the open ones.",
  },
  origin_refused: {
    status: 403,
    title: "Origin refused",
    means: "The call carries a session cookie and comes from another site.",
    remedy: "Call from the region's own pages, or with an API key in the Authorization header and no cookie.",
  },
  assistant_unknown: {
    status: 422,
    title: "Assistant unknown",
    means: "The client id is not one of this server, or the redirect address is not one that the assistant registered.",
    remedy: "Connect again from the assistant: it registers itself.",
  },
  tool_not_allowed: {
    status: 403,
    title: "Tool not allowed",
    means: "The person who connected this assistant has not allowed it to use this tool.",
    remedy: "Use another tool, or connect the assistant again and allow more.",
  },
  confirmation_required: {
    status: 403,
    title: "Confirmation required",
    means:
      "The operation changes how the account signs in, and the session was not confirmed in the last fifteen minutes.",
    remedy: "Confirm who you are (password, passkey or single sign-on), and repeat the call.",
  },
  sign_in_failed: {
    status: 401,
    title: "Sign-in failed",
    means: "No account has this address and this password.",
    remedy: "Check both, or request a link to set a new password with `auth/password/forgot`.",
  },
  account_deactivated: {
    status: 403,
    title: "Account deactivated",
    means: "Your account is deactivated.",
    remedy: "Ask the owner of your organization, or the administrator of its identity provider.",
  },
  sso_required: {
    status: 403,
    title: "Single sign-on required",
    means: "The organization requires single sign-on at its own identity provider.",
    remedy: "Sign in at `sso_url`.",
  },
  code_refused: {
    status: 401,
    title: "Code refused",
    means: "The code is wrong, was used already, or is too old.",
    remedy: "Wait for the app's next code, use a recovery code, or have another code sent.",
  },
  challenge_gone: {
    status: 410,
    title: "Too late",
    means: "The sign-in or setup has expired, is already finished, or had too many wrong attempts.",
    remedy: "Start again.",
  },
  password_wrong: {
    status: 403,
    title: "Wrong password",
    means: "This is not the password of your account.",
    remedy: "Check it, or request a link to set a new one with `auth/password/forgot`.",
  },
  passwords_busy: {
    status: 503,
    title: "Too many passwords at once",
    means: "Too many password checks are queued.",
    remedy: "Try again after `Retry-After` seconds. Sessions, API keys and passkeys are not affected.",
  },
  passkey_refused: {
    status: 401,
    title: "Passkey refused",
    means: "The passkey belongs to no account here, or its signature is invalid.",
    remedy: "Use another passkey, or the password.",
  },
  passkey_unusable: {
    status: 422,
    title: "Passkey unusable",
    means: "The authenticator did not create a usable passkey.",
    remedy: "Start again. The authenticator must verify the person, for example by a PIN or a fingerprint.",
  },
  passkey_not_found: {
    status: 404,
    title: "Passkey not found",
    means: "Your account has no passkey with this id.",
    remedy: "`auth/passkeys/list` shows those it has.",
  },
  codes_not_found: {
    status: 404,
    title: "No one-time codes",
    means: "Your account has no app for one-time codes.",
    remedy: "`auth/codes/begin` sets one up.",
  },
  second_factor_required: {
    status: 403,
    title: "Second factor required",
    means: "The organization requires a second factor. Until one is set up, the session can do nothing else.",
    remedy: "Add a passkey with `auth/passkeys/begin`, or one-time codes with `auth/codes/begin`.",
  },
  last_second_factor: {
    status: 409,
    title: "Last second factor",
    means: "The organization requires a second factor, and this is the account's last one.",
    remedy: "Add another one first.",
  },
  too_many_passkeys: {
    status: 409,
    title: "Too many passkeys",
    means: "An account can have at most twenty passkeys.",
    remedy: "Remove one that is no longer used.",
  },
} as const satisfies Catalogue;
