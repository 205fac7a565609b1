import type { Operation } from "../../calls/define-operation.ts";
import { type ProblemCode, problems } from "../../kernel/problem.ts";
import { isReserved } from "./operation-schemas.ts";

const credentialProblems: readonly ProblemCode[] = [
  "credentials_missing",
  "credentials_invalid",
  "key_expired",
  "key_revoked",
  "owner_deactivated",
  "session_ended",
  "second_factor_required",
  "origin_refused",
];

/** "Only 401/501": the problems of an operation that is reserved for a later release. */
const unauthenticated = credentialProblems.filter((code) => problems[code].status === 401);

/** The problems that every call can get. */
export const commonProblems: readonly ProblemCode[] = [
  "malformed_request",
  "validation_failed",
  ...credentialProblems,
  "method_not_allowed",
  "payload_too_large",
  "unsupported_media_type",
  "wrong_region",
  "rate_limited",
  "internal",
  "unavailable",
];
/** The problems of calls that change something. */
const idempotencyProblems: readonly ProblemCode[] = [
  "idempotency_key_invalid",
  "idempotency_mismatch",
  "idempotency_in_progress",
];
const confirmedProblems: readonly ProblemCode[] = ["confirmation_required", "key_restricted"];
export const changeProblems: readonly ProblemCode[] = [...idempotencyProblems, "storage_full"];

/** Every problem that an operation can return, from its definition. */
export function problemsOf(operation: Operation): ProblemCode[] {
  if (isReserved(operation)) return [...unauthenticated, ...operation.refuses];
  const codes = new Set<ProblemCode>(commonProblems);
  if (operation.audit !== null) for (const code of changeProblems) codes.add(code);
  if (operation.confirmed) for (const code of confirmedProblems) codes.add(code);
  if (operation.needs === "nobody") {
    for (const code of [...credentialProblems, ...idempotencyProblems]) codes.delete(code);
  }
  if (operation.answersSecret) codes.add("idempotency_answer_gone");
  for (const code of accessProblems(operation)) codes.add(code);
  for (const code of operation.refuses) codes.add(code);
  return [...codes];
}

function accessProblems({ needs }: Operation): ProblemCode[] {
  switch (needs) {
    case "nobody":
    case "account":
      return [];
    case "full key":
      return ["key_restricted"];
    case "organization owner":
      return ["key_restricted", "owner_required"];
    case "project viewer":
      return ["project_required", "project_not_found"];
    case "project editor":
      return ["project_required", "project_not_found", "editor_required"];
    case "project admin":
      return ["project_required", "project_not_found", "admin_required"];
  }
}
