import type { Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import { type LimitSeen, readsOnly, type StepPorts } from "../steps/ports.ts";
import { runStep } from "../steps/run-step.ts";
import { outputOfFailure, toProblem } from "../steps/to-problem.ts";
import type { Step } from "../systems/define.ts";
import type { StepProblem } from "../systems/step-problems.ts";
import { callOf } from "./prepare-step.ts";
import type { StepWish } from "./run-step-now.ts";

/** What a read found. It has no id, because it is no run. */
export interface ReadNow {
  status: "succeeded" | "failed";
  output: unknown;
  warnings: string[];
  limits: LimitSeen[];
  problem: StepProblem | null;
}

/**
 * Reads with a step through policy, limits and account, and stores no run: a page that reads every few seconds would
 * bury the runs that people look for. A step that would change something is refused: a change is always a run.
 */
export async function readNow(
  scope: Scope,
  { step, connection, parsed, waitSeconds }: Omit<StepWish, "input">,
  ports: Omit<StepPorts, "journal">,
): Promise<ReadNow> {
  refuseWrites(step, parsed);
  const call = callOf(scope, { step, input: parsed, connection, runId: "read", waitSeconds });
  const end = await runStep(call, { ...ports, journal: readsOnly });
  const limits = end.attempts.findLast((attempt) => attempt.limits)?.limits ?? [];
  if (end.status === "succeeded") {
    return { status: "succeeded", output: end.output ?? null, warnings: end.warnings, limits, problem: null };
  }
  const problem = toProblem(end.failed.failure, "", scope.now(), connection.id);
  return { status: "failed", output: outputOfFailure(step, end.failed) ?? null, warnings: [], limits, problem };
}

function refuseWrites(step: Step, parsed: unknown): void {
  if ((step.effectOf?.(parsed) ?? step.effect) === "read") return;
  const detail = `With this input ${step.title} changes something, and a change is always a run.`;
  throw new Problem("validation_failed", detail, {
    errors: [{ pointer: "#/input", code: "not_a_read", detail: `Use \`steps/${step.id}/run\`.` }],
  });
}
