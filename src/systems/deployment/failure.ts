import { inBounds, momentOf } from "../bounded-wait.ts";
import { failed } from "../fail-step.ts";
import type { Answer, Failure, StepRequest } from "../work.ts";
import { isRecord, textIn } from "./protocol/platform-records.ts";

interface Refused {
  answer: Answer;
  request: StepRequest;
  error: Record<string, unknown>;
  /** The system's own code, or the status without one. */
  code: string;
  /** Its message, with status and code before it. */
  said: string;
}

/** Status first, then code: messages are for people and change. */
export function deploymentFailure(answer: Answer, request: StepRequest): Failure | null {
  const { status, body } = answer;
  if (status < 400) return unreadable(answer);
  const error = errorIn(body);
  const code = textIn(error, "code") ?? String(status);
  const message = textIn(error, "message") ?? "no reason given";
  const said = `The deployment platform returned ${status} ${code === String(status) ? "" : `${code}: `}${message}`;
  const refused: Refused = { answer, request, error, code, said };
  return { ...ofStatus(status, refused), systemCode: code };
}

/** This API returns JSON, and logs line by line; an HTML page comes from a proxy, and broken JSON was cut. */
function unreadable({ body, headers }: Answer): Failure | null {
  const type = headers["content-type"] ?? "";
  if (typeof body !== "string" || body.trim() === "" || !/^(?:application\/json|text\/html)\b/i.test(type)) return null;
  return failed("system_unavailable", "try again", "The deployment platform returned something that is not JSON.", {
    done: "maybe",
    remedy: "Call again later. If it persists, check whether a proxy responds instead of the platform.",
  });
}

/** Very old paths return the inner object unwrapped. */
function errorIn(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) return {};
  return isRecord(body.error) ? body.error : body;
}

function ofStatus(status: number, refused: Refused): Failure {
  const { said, code } = refused;
  const conflicts = variableConflicts(refused);
  if (conflicts.length > 0) return variableConflict(said, conflicts);
  if (status === 401) return badToken(said);
  if (status === 403) return forbidden(refused);
  if (status === 404) return notFound(refused);
  if (status === 409) return failed("conflict_there", "give up", said);
  if (status === 429) return tooMany(refused);
  if (status >= 500) return failed("system_unavailable", "try again", said, { done: "maybe" });
  const remedy = remedies[status] ?? remedyOfCode[code];
  const kind = status === 402 || status === 426 || status === 428 ? "permission_denied" : "invalid_there";
  return failed(kind, "give up", said, remedy === undefined ? {} : { remedy });
}

const remedies: Readonly<Record<number, string>> = {
  402: "The account is blocked or a payment is missing: see to its billing at the platform.",
  405: "This path takes another method.",
  410: "This version of the endpoint is retired: use a newer one.",
  426: "The account's plan does not cover this: change the plan, or ask for less.",
  428: "The account's plan lacks an add-on that this needs.",
};
const remedyOfCode: Readonly<Record<string, string>> = {
  missing_files: "Send the files with their content, or upload them first.",
  no_files: "Name a branch, an earlier deployment or files: there is nothing to deploy.",
};

const badToken = (said: string): Failure =>
  failed("needs_reconnect", "give up", `${said}. The token is not valid any longer.`);

/** Four different cases are 403 here; each needs another person to fix it. */
function forbidden({ error, code, said, request }: Refused): Failure {
  if (error.invalidToken === true || error.missingToken === true) return badToken(said);
  const denied = (remedy: string) => failed("permission_denied", "give up", said, { remedy });
  if (code === "integration_configuration_disabled") {
    return denied(
      "The installation is disabled: enable it again at the platform. The connection then works as before.",
    );
  }
  const team = String(request.query?.teamId ?? request.query?.slug ?? "");
  if (code === "team_unauthorized") {
    return denied(`The account is no member of the team ${team}: have it invited, or act for a team of its own.`);
  }
  if ("scope" in error || "saml" in error) {
    const isSaml = error.enforced === true;
    const scope = textIn(error, "scope") ?? "this scope";
    return denied(
      isSaml
        ? `The team "${scope}" demands single sign-on: reconnect the account after signing in through it.`
        : `The token does not reach the scope "${scope}": connect an account of that team, or give its \`teamId\`.`,
    );
  }
  if ("action" in error || "resource" in error) {
    return denied(
      `The account may not ${textIn(error, "action") ?? "do"} ${textIn(error, "resource") ?? "this"}: ask for a higher role or a missing scope.`,
    );
  }
  if (team !== "") return denied("Ask for a higher role in the team, or use another account.");
  return denied("This may belong to a team: give its `teamId`, or connect an account that acts for it.");
}

/** A page instead of an error comes from a proxy, and says nothing of the record. */
const notFound = ({ said, request, answer }: Refused): Failure =>
  failed("not_found_there", "give up", said, {
    remedy: remedyOf404(request),
    ...(isRecord(answer.body) && { recordIsAbsent: true }),
  });

function remedyOf404({ query }: StepRequest): string {
  const team = query?.teamId ?? query?.slug;
  return team === undefined
    ? "Check the id. The account acts for itself: what belongs to a team is found with its `teamId` only."
    : `Check the id, and that it belongs to the team ${team} and to the projects that the account was given.`;
}

/** Above this it is a daily limit, and a step does not wait for it. */
const waitSecondsMax = 3600;

function tooMany({ answer, said }: Refused): Failure {
  const waitSeconds = waitSecondsOf(answer);
  const isQuota = waitSeconds > waitSecondsMax;
  return failed(isQuota ? "quota_exhausted" : "rate_limited", isQuota ? "give up" : "wait", said, { waitSeconds });
}

/** `retry-after` is right if present; the reset is a time in seconds, and may be in the past. */
export function waitSecondsOf(answer: Answer): number {
  const after = Number(answer.headers["retry-after"]);
  if (after > 0) return inBounds(after);
  const reset = resetOf(answer);
  if (reset === null) return 60;
  return inBounds((reset.getTime() - answeredAt(answer).getTime()) / 1000);
}

export function resetOf({ headers, body }: Answer): Date | null {
  const { limit } = errorIn(body);
  const inBody = isRecord(limit) ? limit.reset : undefined;
  return momentOf(Number(headers["x-ratelimit-reset"] ?? inBody));
}

function answeredAt({ headers }: Answer): Date {
  const told = Date.parse(headers.date ?? "");
  return new Date(Number.isNaN(told) ? Date.now() : told);
}

const conflictsMax = 100;

/** An existing variable, also within a batch of refusals. */
function variableConflicts({ answer, error }: Refused): Record<string, unknown>[] {
  const failedRows = isRecord(answer.body) && Array.isArray(answer.body.failed) ? answer.body.failed : [];
  const inside = failedRows
    .slice(0, conflictsMax)
    .flatMap((row) => (isRecord(row) && isRecord(row.error) ? [row.error] : []));
  return [error, ...inside].filter(({ code }) => code === "ENV_CONFLICT");
}

function variableConflict(said: string, conflicts: Record<string, unknown>[]): Failure {
  const names = conflicts.map((one) => {
    const target = [one.target].flat().filter(Boolean).join(", ");
    const branch = textIn(one, "gitBranch");
    return `${textIn(one, "envVarKey") ?? textIn(one, "key") ?? "a variable"} (${target || "same target"}${branch ? `, branch ${branch}` : ""})`;
  });
  return failed("conflict_there", "give up", `${said}. Already there: ${[...new Set(names)].join("; ")}.`, {
    remedy: "Change the variable that is there, or send `upsert=true` with one target at a time.",
  });
}
