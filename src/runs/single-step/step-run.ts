import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { isoTime } from "../../kernel/times.ts";
import type { Db } from "../../store/db.ts";
import type { Step } from "../../systems/define.ts";
import { stepProblem } from "../../systems/step-problems.ts";
import { mayHaveIntents, settleIntents } from "../journal/write-intents.ts";
import type { Run, StepRun } from "../record/run-record.ts";
import { type RunHold, settleUnknown } from "./single-step.store.ts";

export { claimAbandoned, insertStepRun, updateProbed, updateRunning } from "./single-step.store.ts";

export interface StepRunWish {
  region: Region;
  organizationId: string;
  projectId: string;
  step: Step;
  connectionId: string;
  /** As the caller sent it, with secrets masked. */
  params: unknown;
  startedBy: string;
  keyId: string | null;
  now: Date;
  /** For a run that a worker holds from the start. */
  leaseSeconds?: number;
}

export const newStepRun = (wish: StepRunWish): StepRun => ({
  id: newId("run", wish.region),
  organizationId: wish.organizationId,
  projectId: wish.projectId,
  work: { kind: "step", id: wish.step.id, connectionId: wish.connectionId },
  status: "running",
  params: wish.params,
  attempts: [],
  output: null,
  outputBytes: 0,
  warnings: [],
  problem: null,
  limits: [],
  startedBy: wish.startedBy,
  keyId: wish.keyId,
  createdAt: isoTime(wish.now),
  finishedAt: null,
  leaseUntil: wish.leaseSeconds === undefined ? null : isoTime(new Date(wish.now.getTime() + wish.leaseSeconds * 1000)),
  worker: null,
  fence: 0,
  waitingFor: null,
  source: { kind: "call" },
  runAt: null,
  claimsWithoutProgress: 0,
  failures: 0,
  cancelAsked: false,
});

/** The problem of a write that, as a person decided, did not happen. */
export const didNotHappen = stepProblem(
  "system_unavailable",
  "The response was lost, and a person reports that the write did not happen.",
);

export type Resolution = "happened" | "did_not";

/** A person settles a write whose answer was lost. */
export async function resolveRun(db: Db, run: StepRun, outcome: Resolution, output: unknown, now: Date): Promise<void> {
  if (run.status !== "outcome_unknown") throw new Problem("run_not_waiting");
  const settled: Run =
    outcome === "happened"
      ? { ...run, status: "succeeded", output: output ?? null, problem: null }
      : { ...run, status: "failed", problem: didNotHappen };
  const finished: Run = {
    ...settled,
    finishedAt: now.toISOString(),
    leaseUntil: null,
    worker: null,
    waitingFor: null,
  };
  if (!(await settleUnknown(db, finished))) throw new Problem("run_not_waiting");
  if (mayHaveIntents(run.work.id)) await settleIntents(db, run.id, finished.status, now);
}

/** A person asks to send the step again: the run is running, and the given worker holds it. */
export async function reclaimUnknown(db: Db, run: StepRun, hold: RunHold & { leaseUntil: string }): Promise<StepRun> {
  const { worker, fence, leaseUntil } = hold;
  const held = { worker, fence, leaseUntil, waitingFor: null };
  const running: StepRun = { ...run, status: "running", problem: null, output: null, ...held };
  if (!(await settleUnknown(db, running))) throw new Problem("run_not_waiting");
  return running;
}
