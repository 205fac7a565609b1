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
  confirmation_required: {
    status: 403,
    title: "Confirmation required",
    means:
      "The operation changes how the account is opened, and the session has not been confirmed for fifteen minutes.",
    remedy: "Confirm who you are (password, passkey or single sign-on), and repeat the call.",
  },
} as const satisfies Catalogue;
