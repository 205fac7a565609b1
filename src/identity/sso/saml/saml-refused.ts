import { Problem } from "../../../kernel/problem.ts";

/** A response that is not accepted. The reason is for the owner who sets the provider up. */
export const samlRefused = (reason: string): Problem =>
  new Problem("sso_answer_refused", undefined, { more: { reason } });
