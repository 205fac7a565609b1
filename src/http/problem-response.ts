import { type FieldError, Problem, problems, shorten } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { StoreUnavailable, type UnavailableReason } from "../store/db.ts";
import { validateHeaderValue } from "./node-http.ts";

const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded";
const retryAfterSeconds = "5";
const storeTexts: Partial<Record<UnavailableReason, string>> = {
  busy: "Another call has held what this one changes for too long. Nothing was changed.",
  "read-only": "The database accepts no writes at the moment. Nothing was changed.",
  overloaded: "The database did not get to this call in time. Nothing was changed.",
};

/** A refusal as HTTP response. */
export interface ProblemResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Turns what a rule, a parser or the store threw into a Problem. Anything else is `internal`; only the log gets its
 * cause.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) {
    const code = error.reason === "full" ? "storage_full" : "unavailable";
    return new Problem(code, storeTexts[error.reason], { headers: { "retry-after": retryAfterSeconds }, cause: error });
  }
  switch (frameworkCode(error)) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Problem("payload_too_large");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "ECONNRESET":
      return new Problem("malformed_request", "The body is shorter than its Content-Length.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request_timeout");
    case "HPE_HEADER_OVERFLOW":
      return new Problem("headers_too_large");
    case "FST_ERR_BAD_URL":
    case "FST_ERR_ASYNC_CONSTRAINT":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new Problem("route_not_found");
    default:
      return new Problem("internal", undefined, { cause: error });
  }
}

const frameworkCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Limits of a refusal, so that it can always be written. */
const errorsMax = 100;
const errorTextMax = 500;
const moreValuesMax = 200;
const bodyBytesMax = 64 * 1024;

/** RFC 9457, with our stable `code`, the request id, and what to do next. */
export function toProblemResponse(
  problem: Problem,
  requestId: string,
  baseUrls: Record<Region, string>,
  here: Region,
): ProblemResponse {
  const { code, status, extras } = problem;
  const entry = problems[code];
  const elsewhere = code === "wrong_region" ? baseUrls[extras.more?.region as Region] : undefined;
  const { errors } = extras;
  const shown = errors?.slice(0, errorsMax);
  const omitted = (extras.errorsOmitted ?? 0) + (errors?.length ?? 0) - (shown?.length ?? 0);
  const always = {
    type: code === "rate_limited" ? quotaExceeded : `${baseUrls[here]}/latest/documentation/errors#${code}`,
    title: entry.title,
    status,
    detail: shorten(problem.message),
    instance: `urn:signalbox:request:${requestId}`,
    code,
    request_id: requestId,
    remedy: entry.remedy,
  };
  const body = JSON.stringify({
    ...always,
    ...(extras.more && (boundedCopy(extras.more, { left: moreValuesMax }) as object)),
    ...(elsewhere === undefined ? {} : { base_url: elsewhere }),
    ...(shown ? { errors: shown.map(shortError) } : {}),
    ...(omitted > 0 ? { errors_omitted: omitted } : {}),
  });
  const isTooLong = body.length > bodyBytesMax / 3 && Buffer.byteLength(body) > bodyBytesMax;
  return {
    status,
    headers: { ...challengeFor(problem), ...headersOf(problem) },
    body: isTooLong ? JSON.stringify({ ...always, errors_omitted: omitted + (shown?.length ?? 0) }) : body,
  };
}

const shortError = ({ pointer, code, detail }: FieldError): FieldError => ({
  pointer: shorten(pointer, errorTextMax),
  code: shorten(code, errorTextMax),
  detail: shorten(detail, errorTextMax),
});

/** Copies a limited number of values, with shortened texts. */
function boundedCopy(value: unknown, budget: { left: number }, depthLeft = 8): unknown {
  budget.left--;
  if (typeof value === "string") return shorten(value);
  if (typeof value !== "object" || value === null) return value;
  if (depthLeft === 0) return null;
  if (Array.isArray(value)) {
    const items = [];
    for (const item of value) {
      if (budget.left <= 0) break;
      items.push(boundedCopy(item, budget, depthLeft - 1));
    }
    return items;
  }
  const members: Record<string, unknown> = {};
  for (const name in value) {
    if (budget.left <= 0) break;
    members[shorten(name, errorTextMax)] = boundedCopy((value as Record<string, unknown>)[name], budget, depthLeft - 1);
  }
  return members;
}

/** The response if even the refusal cannot be written: constant except for the request id, which has a fixed form. */
export const fallbackResponse = (requestId: string): ProblemResponse => ({
  status: 500,
  headers: { "content-type": "application/problem+json" },
  body: `{"type":"about:blank","title":"Internal error","status":500,"detail":"${problems.internal.means}","instance":"urn:signalbox:request:${requestId}","code":"internal","request_id":"${requestId}","remedy":"${problems.internal.remedy}"}`,
});

/** The headers that a problem adds. Throws if HTTP cannot carry a value, before anything is sent. */
export function headersOf({ extras: { headers = {} } }: Problem): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
  return headers;
}

// A call without credentials gets the bare challenge, one with wrong credentials also the error (RFC 6750, 3.1).
function challengeFor({ code, status }: Problem): Record<string, string> {
  if (status !== 401) return {};
  const error = code === "credentials_missing" ? "" : ', error="invalid_token"';
  return { "www-authenticate": `Bearer realm="signalbox"${error}` };
}
