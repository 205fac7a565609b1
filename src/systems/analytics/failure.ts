import type { Answer, Failure, StepRequest } from "../work.ts";
import { readExhausted } from "./limits/exhausted-quota.ts";
import { decoded, effectOf } from "./protocol/endpoints.ts";
import { disabledService, membersOf, reasonOf, textOf } from "./protocol/vendor-json.ts";

/** Explains an answer that is not a success; null for a success. */
export function failure(answer: Answer, request: StepRequest): Failure | null {
  const found = meaningOf(answer, request);
  // "An invalid request costs no tokens": also one for a property that the account cannot reach, so that a caller
  // cannot use up the tokens of a property with refused requests.
  const isFree = found !== null && found.done === "no" && request.api === "data" && answer.status !== 429;
  return isFree ? { ...found, uncounted: true } : found;
}

function meaningOf(answer: Answer, request: StepRequest): Failure | null {
  if (answer.status >= 200 && answer.status < 300) return unreadable(answer);
  const error = readError(answer);
  switch (answer.status) {
    case 401:
      return { code: "needs_reconnect", ...error, cure: "fresh token", done: "no" };
    case 403:
    case 429:
      return exhausted(answer, error) ?? denied(error, answer, request);
    case 404:
      return notFound(error, answer, request);
    case 409:
      return { code: "conflict_there", ...error, cure: "give up", done: "no" };
    default:
      return answer.status >= 400 && answer.status < 500 ? refused(error) : broken(answer, error);
  }
}

interface VendorError {
  detail: string;
  systemCode?: string;
}

const detailMax = 1000;

function readError({ status, body }: Answer): VendorError {
  const error = membersOf(membersOf(body).error);
  const message = textOf(error.message).trim().slice(0, detailMax);
  const systemCode = textOf(error.status);
  return {
    detail: message === "" ? `Google Analytics returned status ${status} without a reason.` : message,
    ...(systemCode === "" ? {} : { systemCode }),
  };
}

/** These APIs return only JSON: anything else comes from a proxy, or was cut. */
function unreadable({ body }: Answer): Failure | null {
  if (typeof body !== "string" || body.trim() === "") return null;
  return {
    code: "system_unavailable",
    detail: "Google Analytics returned something that is not JSON.",
    remedy: "Call again later. If it persists, check whether a proxy responds instead of the system.",
    cure: "try again",
    done: "maybe",
  };
}

function exhausted(answer: Answer, error: VendorError): Failure | null {
  const found = readExhausted(answer);
  if (!found) return null;
  const { bucket, waitSeconds } = found;
  const isShort = bucket === "concurrent" || bucket === "minute" || bucket === "project minute";
  const remedies = {
    day: "The property has new tokens at midnight Pacific time. Shorter ranges and fewer columns cost less.",
    hour: "The property has new tokens with the next hour. Shorter ranges and fewer columns cost less.",
    short: "Call again after `retry_at`, or with fewer calls at the same time.",
  };
  return {
    code: isShort ? "rate_limited" : "quota_exhausted",
    ...error,
    remedy: isShort ? remedies.short : bucket === "day" ? remedies.day : remedies.hour,
    cure: "wait",
    waitSeconds,
    done: "no",
  };
}

/** A missing scope, a disabled API and a missing role differ only by the reason. */
function denied(error: VendorError, { body }: Answer, request: StepRequest): Failure {
  const { reason, metadata } = reasonOf(body);
  const base = { code: "permission_denied", ...error, cure: "give up", done: "no" } as const;
  switch (reason) {
    case "ACCESS_TOKEN_SCOPE_INSUFFICIENT":
      return {
        ...base,
        remedy: `The account was connected without the permission to ${effectOf(request.method, request.path) === "read" ? "see" : "edit"} Google Analytics data. Reconnect it and leave every box of the consent page ticked.`,
      };
    case "SERVICE_DISABLED":
      return { ...base, remedy: disabledService(metadata).remedy };
    default:
      return { ...base, remedy: roleRemedy(request) };
  }
}

/** "Viewer: query reports. Editor: create key events and change property settings. Administrator on the account: create properties." */
function roleRemedy(request: StepRequest): string {
  const { method, path } = request;
  const isCreatingProperty = method === "POST" && /^\/\w+\/properties$/.test(decoded(path));
  if (isCreatingProperty)
    return "Creating properties needs Administrator on the analytics account. Ask for Administrator there, and check the account's id.";
  const role = effectOf(method, path) === "read" ? "Viewer" : "Editor";
  return `The connected account has no such role, or the id is wrong: both look the same. Ask for ${role} or higher on the property, or use another account, and check the id.`;
}

function notFound(error: VendorError, { body }: Answer, { method, path }: StepRequest): Failure {
  const base = { code: "not_found_there", cure: "give up", done: "no" } as const;
  if (typeof body !== "string") return { ...base, ...error, recordIsAbsent: true };
  return {
    ...base,
    detail: `Google Analytics knows no ${method} ${decoded(path).slice(0, 300)}.`,
    remedy: "Check method, version and path: for an unknown path the API returns a web page instead of an error.",
  };
}

/** A state that forbids the call is a conflict, though it comes with the status of an invalid request. */
function refused(error: VendorError): Failure {
  const isState = error.systemCode === "FAILED_PRECONDITION";
  return { code: isState ? "conflict_there" : "invalid_there", ...error, cure: "give up", done: "no" };
}

/** Ten server errors in an hour block the project on a property, so retries are few. */
function broken({ status }: Answer, error: VendorError): Failure {
  return { code: status === 504 ? "timed_out" : "system_unavailable", ...error, cure: "try again", done: "maybe" };
}
