import type { Step } from "../systems/define.ts";
import { type StepProblem, stepProblems } from "../systems/step-problems.ts";
import type { Failure, StepFailed } from "../systems/work.ts";

/** "The system's own answer stays in `output`", or what the step says of the record. */
export const outputOfFailure = ({ refusedOutput }: Step, { answer, output }: StepFailed): unknown =>
  output ?? (answer === null ? null : (refusedOutput?.(answer) ?? { status: answer.status, body: answer.body }));

export function toProblem(failure: Failure, runId: string, now: Date, connectionId?: string): StepProblem {
  const { fault: usualFault, remedy, ...usual } = stepProblems[failure.code];
  const fault = failure.fault ?? usualFault;
  const retry = failure.retry ?? usual.retry;
  const waits = failure.waitSeconds !== undefined && retry === "later";
  return {
    code: failure.code,
    detail: failure.detail,
    remedy: (failure.remedy ?? remedy).replace("{run_id}", runId),
    fault,
    retry,
    ...(waits ? { retry_at: new Date(now.getTime() + (failure.waitSeconds ?? 0) * 1000).toISOString() } : {}),
    ...(failure.systemCode === undefined ? {} : { system_code: failure.systemCode }),
    ...(fault === "account" && connectionId !== undefined ? { connection_id: connectionId } : {}),
  };
}
