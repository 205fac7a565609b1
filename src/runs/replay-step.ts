import { Problem } from "../kernel/problem.ts";
import type { Step } from "../systems/define.ts";
import { callOf, isWhole, requireConnectionFor, requireStep, waitSecondsDefault } from "./prepare-step.ts";
import { noSuchStep } from "./replay.ts";
import { asStored, runNow, runPorts, type StepCaller, type StepNowPorts } from "./run-step-now.ts";
import type { StepRun } from "./runs.ts";
import { runOneStep } from "./single-step/single-step.ts";
import { reclaimUnknown } from "./single-step/step-run.ts";

/** Parses the input of a replayed step, or refuses it. */
export type ReadInput = (step: Step, given: Record<string, unknown>) => unknown;

export interface StepReplayWish {
  fromStep: string | undefined;
  input: Record<string, unknown> | undefined;
  read: ReadInput;
}

/** Runs the same step again as a new run, with the stored input unless the caller sends another. */
export async function replayStep(
  scope: StepCaller,
  run: StepRun,
  { fromStep, input, read }: StepReplayWish,
  ports: StepNowPorts,
): Promise<string> {
  if (fromStep !== undefined && fromStep !== run.work.id) throw noSuchStep([run.work.id], fromStep);
  const step = requireStep(run.work.id);
  const connection = await requireConnectionFor(step, scope, run.work.connectionId, ports);
  const given = input ?? (run.params as Record<string, unknown>);
  if (!input && !isWhole(step, given)) throw new Problem("run_not_repeatable");
  const wish = { step, connection, input: given, parsed: read(step, given), waitSeconds: waitSecondsDefault };
  const again = await runNow(scope, wish, ports);
  return again.run.id;
}

/** A person has checked the system and chose to retry: the stored step runs again, in the same run. */
export async function retryUnknown(scope: StepCaller, unknown: StepRun, ports: StepNowPorts): Promise<void> {
  const step = requireStep(unknown.work.id);
  const connection = await requireConnectionFor(step, scope, unknown.work.connectionId, ports);
  if (!isWhole(step, unknown.params)) throw new Problem("run_not_repeatable");
  const hold = ports.hold(unknown.id, unknown.fence + 1);
  try {
    const run = await scope.change(async ({ db }) => {
      const value = await reclaimUnknown(db, unknown, hold);
      return { value, target: unknown.id, details: { outcome: "retry" }, reference: unknown.id };
    });
    const input = step.input.parse(unknown.params);
    const call = callOf(scope, { step, input, connection, runId: run.id, waitSeconds: waitSecondsDefault });
    await runOneStep(run, call, { ...runPorts(ports, null), hold: () => hold }).catch(asStored(scope, run));
  } finally {
    hold.release();
  }
}
