import { failed } from "../../fail-step.ts";
import { segment } from "../../paths.ts";
import { stepProblems } from "../../step-problems.ts";
import { type Answer, pause, StepFailed, send, type Work } from "../../work.ts";
import { apiRequest } from "../protocol/api-request.ts";
import {
  aliasErrorOf,
  idOf,
  isRecord,
  isServed,
  readDeployment,
  stateOf,
  textIn,
} from "../protocol/platform-records.ts";
import { readLastLines } from "./build-log.ts";

// "Poll no faster than every 2–5 s": quick at first, since many builds take less than a minute.
const pauseSecondsFirst = 2;
const pauseSecondsMax = 5;
const waitSecondsMax = 30 * 60;
const aliasSecondsMax = 120;

export interface Waited {
  record: unknown;
  warnings: string[];
}

/**
 * Reads the deployment until it is READY and served, or throws its failure. Time is counted in pauses, not by a clock.
 */
export function* waitUntilReady(created: unknown): Work<Waited> {
  const id = idOf(created) ?? "";
  let record = created;
  let waited = 0;
  let readySince: number | null = null;
  for (;;) {
    const state = stateOf(record);
    if (state === "ERROR" || state === "CANCELED" || state === "DELETED" || state === "BLOCKED")
      throw yield* ended(record);
    if (state === "READY") {
      readySince ??= waited;
      const alias = aliasErrorOf(record);
      if (alias !== null) return { record, warnings: [`It is READY, and not served on its domains: ${alias}.`] };
      if (isServed(record)) return { record, warnings: [] };
      if (waited - readySince >= aliasSecondsMax)
        return { record, warnings: ["It is READY, and not yet served on its domains."] };
    }
    if (waited >= waitSecondsMax) throw tooLong(record, waited);
    const seconds = Math.min(pauseSecondsMax, pauseSecondsFirst + Math.floor(waited / 10));
    if (!(yield* pauseFor(seconds, `deployment ${id}, which is ${state}`))) throw tooLong(record, waited);
    waited += seconds;
    record = (yield* readAgain(record))?.body ?? record;
  }
}

/** False if the call has no time left. */
export function* pauseFor(seconds: number, forWhat: string): Work<boolean> {
  try {
    yield* pause(seconds, forWhat);
    return true;
  } catch (error) {
    if (error instanceof StepFailed) return false;
    throw error;
  }
}

/** Failing reads do not end it: the deployment continues. */
function* readAgain(record: unknown): Work<Answer | null> {
  try {
    return yield* send(apiRequest("GET", `/v13/deployments/${segment(idOf(record) ?? "")}`));
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    if (stepProblems[error.failure.code].retry === "later") return null;
    throw unseen(record, error);
  }
}

/** Even if it cannot be read, the deployment was created, and the failure must say so. */
function unseen(record: unknown, { failure, answer }: StepFailed): StepFailed {
  const id = idOf(record) ?? "";
  const detail = `The deployment ${id} was created, and what became of it cannot be seen: ${failure.detail}`;
  return new StepFailed({ ...failure, detail, retry: "after_look" }, answer, knownOf(record));
}

function* ended(record: unknown): Work<StepFailed> {
  const id = idOf(record) ?? "";
  const state = stateOf(record);
  if (state === "ERROR") return yield* buildFailed(record, id);
  const detail =
    state === "BLOCKED"
      ? `The deployment ${id} is held back by the platform (BLOCKED): a person must release it.`
      : `The deployment ${id} was ended before it was ready: it is ${state}.`;
  return new StepFailed(failed("conflict_there", "give up", detail, { systemCode: state }), null, knownOf(record));
}

/** Every failure after the deployment was created keeps its id and address as fields. */
function knownOf(record: unknown): object {
  const { branch: _branch, creator: _creator, ...known } = readDeployment(record);
  return known;
}

function* buildFailed(record: unknown, id: string): Work<StepFailed> {
  const reason = [textIn(record, "errorCode"), textIn(record, "errorMessage")].filter(Boolean).join(": ");
  const lines = yield* readLastLines(id);
  const log = lines.length > 0 ? `\nThe build's last lines:\n${lines.join("\n")}` : "";
  const detail = `The build of deployment ${id} failed${reason && ` (${reason})`}.${log}`;
  const page = isRecord(record) ? textIn(record, "inspectorUrl") : null;
  const remedy = `Fix what the build log names, then deploy again.${page ? ` The whole log is at ${page}` : ""}`;
  const known = { ...knownOf(record), log: lines };
  return new StepFailed(failed("invalid_there", "give up", detail, { remedy, systemCode: "ERROR" }), null, known);
}

function tooLong(record: unknown, waited: number): StepFailed {
  const id = idOf(record) ?? "";
  const detail = `The deployment ${id} was created, and is still ${stateOf(record)} after ${waited} seconds of waiting.`;
  const remedy =
    "It continues at the platform: look at it later, or cancel it. Creating it again would make a second one.";
  const failure = failed("timed_out", "give up", detail, { remedy, retry: "after_look" });
  return new StepFailed(failure, null, knownOf(record));
}
