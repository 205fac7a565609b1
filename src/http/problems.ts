import { Problem, problems } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { StoreUnavailable } from "../store/db.ts";

const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded";
const retryAfterSeconds = "5";

/** A refusal as it goes over the wire. */
export interface ProblemAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Whatever a rule, a parser or the store threw, as a Problem; the rest is `internal`, and its cause goes to the log alone. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) {
    const code = error.reason === "full" ? "storage_full" : "unavailable";
    return new Problem(code, undefined, { headers: { "retry-after": retryAfterSeconds }, cause: error });
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

/** RFC 9457, with our stable `code`, the request id, and what to do next. */
export function toAnswer(
  problem: Problem,
  requestId: string,
  baseUrls: Record<Region, string>,
  here: Region,
): ProblemAnswer {
  const { code, status, extras } = problem;
  const entry = problems[code];
  const elsewhere = code === "wrong_region" ? baseUrls[extras.more?.region as Region] : undefined;
  const body = {
    type: code === "rate_limited" ? quotaExceeded : `${baseUrls[here]}/latest/documentation/errors#${code}`,
    title: entry.title,
    status,
    detail: problem.message,
    instance: `urn:signalbox:request:${requestId}`,
    code,
    request_id: requestId,
    remedy: entry.remedy,
    ...extras.more,
    ...(elsewhere === undefined ? {} : { base_url: elsewhere }),
    ...(extras.errors ? { errors: extras.errors } : {}),
  };
  return {
    status,
    headers: { ...challengeFor(problem), ...extras.headers },
    body: JSON.stringify(body),
  };
}

// A call without credentials gets the bare challenge, one with wrong ones is told so (RFC 6750, 3.1).
function challengeFor({ code, status }: Problem): Record<string, string> {
  if (status !== 401) return {};
  const error = code === "credentials_missing" ? "" : ', error="invalid_token"';
  return { "www-authenticate": `Bearer realm="signalbox"${error}` };
}
