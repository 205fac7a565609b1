import { failed } from "../fail-step.ts";
import type { StepProblemCode } from "../step-problems.ts";
import type { Answer, Failure, StepRequest } from "../work.ts";
import { nextCentralMidnight, secondsToMidnight } from "./central-midnight.ts";
import { insteadOfUnpublished, isRecord, permissionFor } from "./protocol/endpoints.ts";

interface ApiError {
  code: string;
  message: string;
}

type Row = [code: StepProblemCode, cure: Failure["cure"], more?: Partial<Failure>];

const unavailable: Row = ["system_unavailable", "try again"];
// A time-out or an unhandled error can follow completed work, whatever the documentation says of all 6xx.
const unsure: Row = ["system_unavailable", "try again", { done: "maybe" }];
const refused: Row = ["invalid_there", "give up"];
const absent: Row = ["not_found_there", "give up"];

/** The codes of the envelope, which come in HTTP 200. Other codes are refusals. */
const codes: Readonly<Record<string, Row>> = {
  600: ["authentication_failed", "fresh token"],
  601: ["authentication_failed", "fresh token"],
  602: ["authentication_failed", "fresh token"],
  603: ["permission_denied", "give up"],
  604: unsure,
  606: ["rate_limited", "wait", { waitSeconds: 20 }],
  608: unavailable,
  610: absent,
  611: unsure,
  614: unavailable,
  615: ["rate_limited", "wait", { waitSeconds: 1 }],
  702: ["not_found_there", "give up", { recordIsAbsent: true }],
  709: ["conflict_there", "give up"],
  710: absent,
  713: unsure,
  719: unavailable,
  1004: absent,
  1005: ["conflict_there", "give up"],
  1007: ["conflict_there", "give up", { remedy: "Several leads have this key: choose one and update it by its id." }],
  1013: absent,
  1020: ["quota_exhausted", "give up"],
  1029: ["rate_limited", "wait", { waitSeconds: 60 }],
};

/**
 * "success:false in a 200 is a failure": the body decides on every status, and the status only where the body says
 * nothing.
 */
export function marketingFailure(answer: Answer, request: StepRequest): Failure | null {
  const { body, status } = answer;
  const errors = errorsIn(body);
  const [first] = errors;
  if (first) return ofCode(first, errors, answer, request);
  if (isRecord(body) && body.success === true && status < 400) return null;
  return ofStatus(answer, request);
}

/** The first code of a failed envelope. */
export const codeOf = ({ body }: Answer): string | null => errorsIn(body)[0]?.code ?? null;

/** One is usual. */
const errorsMax = 20;

function errorsIn(body: unknown): ApiError[] {
  if (!isRecord(body) || body.success === true || !Array.isArray(body.errors)) return [];
  return body.errors
    .slice(0, errorsMax)
    .filter(isRecord)
    .map(({ code, message }) => ({ code: String(code), message: String(message ?? "") }));
}

function ofCode(first: ApiError, errors: ApiError[], answer: Answer, request: StepRequest): Failure {
  const isDayQuota = first.code === "607" || (first.code === "1029" && /daily quota/i.test(first.message));
  if (isDayQuota) return dayQuotaUsedUp(first.code, answer);
  const [code, cure, more] = codes[first.code] ?? refused;
  const said = errors.map((error) => `${error.code} ${error.message}`.trim()).join("; ");
  const detail = `The marketing system returned ${said}${requestIdOf(answer)}.`;
  return failed(code, cure, detail, {
    ...more,
    ...moreOf(first.code, request),
    ...(uncounted.has(first.code) ? { uncounted: true } : {}),
    systemCode: first.code,
  });
}

/** Neither the burst nor the daily limit counts these. */
const uncounted = new Set(["601", "602", "604", "605", "608", "611"]);

/** Details that depend on the request. */
function moreOf(code: string, request: StepRequest): Partial<Failure> {
  if (code === "603") return { remedy: remedyOf603(request) };
  if (code === "610") return notAvailable(request);
  if (code === "709" && request.path.endsWith("/approveDraft.json")) {
    return {
      remedy: "There is no draft that can be approved: it may be approved already. Read the e-mail's `status`.",
    };
  }
  return {};
}

function remedyOf603(request: StepRequest): string {
  const permission = permissionFor(request);
  const role = permission ? `the permission "${permission}"` : "the permission that this call needs";
  return `Give the API user's role ${role} (Admin › Users & Roles › Roles, below Access API), and check that the instance's IP allow-list lets this server in.`;
}

function dayQuotaUsedUp(code: string, answer: Answer): Failure {
  const now = answeredAt(answer);
  const resetsAt = nextCentralMidnight(now);
  const what = code === "607" ? "calls" : "exports";
  const detail = `The day's quota of ${what} is used up by all tools of this instance together (${code}); it starts anew at ${resetsAt.toISOString()}, midnight US Central.`;
  return failed("quota_exhausted", "give up", detail, { waitSeconds: secondsToMidnight(now), systemCode: code });
}

function notAvailable({ path }: StepRequest): Partial<Failure> {
  const instead = insteadOfUnpublished(path);
  if (instead === null) return { remedy: "Check the endpoint: this instance has no such path." };
  return { detail: `${path} is not available on this instance: the vendor does not publish it.`, remedy: instead };
}

const statuses: Readonly<Record<number, Row>> = {
  400: refused,
  401: ["authentication_failed", "fresh token"],
  403: ["permission_denied", "give up"],
  404: absent,
  413: ["invalid_there", "give up", { remedy: "A body may have 1 MB: send fewer rows at a time." }],
  414: ["invalid_there", "give up", { remedy: "The address is too long: send fewer values at a time." }],
  429: ["rate_limited", "wait", { waitSeconds: 20 }],
};

/** The web server in front returns HTML pages, without an envelope. */
function ofStatus(answer: Answer, request: StepRequest): Failure {
  const { status } = answer;
  if (status === 404 && insteadOfUnpublished(request.path)) {
    return failed("not_found_there", "give up", "", { ...notAvailable(request), systemCode: "404" });
  }
  const [code, cure, more] = statuses[status] ?? (status >= 500 ? unsure : status >= 400 ? refused : notOurs);
  const said = status < 400 ? "something that is not a response of this system" : `HTTP ${status}`;
  return failed(code, cure, `The marketing system returned ${said}${requestIdOf(answer)}.`, {
    ...more,
    systemCode: String(status),
  });
}

const notOurs: Row = [
  "system_unavailable",
  "give up",
  { done: "maybe", remedy: "Check the REST endpoint of the connection: it may belong to another server." },
];

function requestIdOf({ body }: Answer): string {
  const id = isRecord(body) ? body.requestId : null;
  return typeof id === "string" ? ` (request ${id})` : "";
}

/** The system's own time: the right half of its request id, or the header; ours without either. */
export function answeredAt({ body, headers }: Answer): Date {
  const id = isRecord(body) && typeof body.requestId === "string" ? body.requestId : "";
  const told = Number.parseInt(id.split("#")[1] ?? "", 16);
  if (told > 1_262_304_000_000 && told < 4_102_444_800_000) return new Date(told);
  const header = Date.parse(headers.date ?? "");
  return new Date(Number.isNaN(header) ? Date.now() : header);
}
