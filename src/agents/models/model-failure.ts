import { redact } from "../../transport/redact.ts";
import type { SendFailed } from "../../transport/send-failed.ts";

/** Why a model gave no answer, and whether asking again may help. */
export interface ModelFailure {
  code: "model_unavailable" | "model_refused";
  detail: string;
  /** The `Retry-After` of its server. */
  waitSeconds?: number;
}

const saidMax = 500;

/** No response at all. If our own guard blocked the call, a retry changes nothing. */
export function failureOfSilence(failed: SendFailed): ModelFailure {
  return {
    code: failed.reason === "blocked" ? "model_refused" : "model_unavailable",
    detail: `The model's server did not respond: ${failed.message}`,
  };
}

/** Statuses that may change: the server asks for a retry, or has a failure of its own. */
const isPassing = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

export function failureOfStatus(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  secrets: readonly string[],
): ModelFailure {
  const said = String(redact(messageIn(body), secrets)).slice(0, saidMax);
  const detail = `The model's server returned ${status}${said === "" ? "" : `: ${said}`}`;
  if (!isPassing(status)) return { code: "model_refused", detail };
  const seconds = Number(headers["retry-after"]);
  const hasPause = headers["retry-after"] !== undefined && Number.isFinite(seconds) && seconds >= 0;
  return { code: "model_unavailable", detail, ...(hasPause ? { waitSeconds: seconds } : {}) };
}

/** A 200 that cannot be read: often a proxy's page, and gone with a retry. */
export const failureOfAnswer = (why: string): ModelFailure => ({
  code: "model_unavailable",
  detail: `The model's server sent a response that cannot be read: ${why.slice(0, saidMax)}`,
});

/** Both protocols put it into `error.message`. */
function messageIn(body: unknown): string {
  if (typeof body === "string") return body;
  const error = (body as { error?: unknown } | null)?.error;
  if (typeof error === "string") return error;
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message : "";
}
