import type { Attempt, StepCall } from "../../steps/ports.ts";
import type { StepEnd } from "../../steps/run-step.ts";
import { failed } from "../../systems/fail-step.ts";
import { StepFailed } from "../../systems/work.ts";
import { type ProbePorts, reconcile } from "./probe-system.ts";

/** Said of a write that was sent again; in a step's record it also marks that an earlier response was lost. */
export const sentAgainWarning = "The first response was lost, so the write is sent again.";

/**
 * "The re-sent call's answer is read as what it is." A repeat that finds the record there, or no longer there, may have
 * been refused because the first request has happened after all: the step's own probe is asked. `earlier` are the
 * attempts before this one, if a response among them was lost.
 */
export async function readRepeat(
  call: StepCall,
  end: StepEnd,
  earlier: readonly Attempt[],
  ports: ProbePorts,
): Promise<StepEnd> {
  const lost = earlier.filter(isLost);
  const writes = lost.length > 0 ? lost : earlier.filter(isWrite);
  const [first, last = first] = [writes[0], writes.at(-1)];
  if (first === undefined || last === undefined || end.status === "outcome_unknown") return end;
  if (!isOfState(call, end)) return withWarning(end);
  const probed = await reconcile(call, { first: new Date(first.sent_at), last: new Date(last.sent_at) }, ports);
  const seen = { attempts: [...end.attempts, ...probed.attempts], written: end.written };
  if (probed.kind === "happened") return { warnings: [], ...probed.done, ...seen, status: "succeeded" };
  if (probed.kind === "did not" || probed.kind === "in part") return withWarning({ ...end, ...seen });
  const why = probed.kind === "cannot tell" ? probed.why : probed.failure.detail;
  const said =
    "The first response was lost, and the repeat was refused, perhaps because the first request has happened.";
  const open = failed("outcome_unknown", "give up", `${said} ${why}`, { done: "maybe" });
  return { ...seen, status: "outcome_unknown", failed: new StepFailed(open, null) };
}

/** The warnings of a step that failed are those of its record. */
const withWarning = (end: StepEnd): StepEnd =>
  "failed" in end ? end : { ...end, warnings: [sentAgainWarning, ...end.warnings] };

const isWrite = ({ effect }: Attempt): boolean => effect !== "read";
const isLost = (attempt: Attempt): boolean => isWrite(attempt) && attempt.response === undefined;

/** Refused because of what is there, or is not there: a first request may have caused it. */
function isOfState({ step }: StepCall, end: StepEnd): boolean {
  if (!("failed" in end)) return step.saysPresent?.(end.output) ?? false;
  const { code } = end.failed.failure;
  return code === "conflict_there" || code === "not_found_there";
}
