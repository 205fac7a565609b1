import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import { LeaseLost } from "../steps/fence.ts";
import type { Db } from "../store/db.ts";
import type { Step } from "../systems/define.ts";
import { redact } from "../transport/redact.ts";
import type { Connection } from "../vault/vault.ts";
import { callOf, isWhole, requireConnectionFor, requireStep, waitSecondsDefault } from "./prepare-step.ts";
import { insertStepRun, newStepRun, type Run, reclaimUnknown, requireRun, type StepRun } from "./runs.ts";
import { runOneStep, type StepRunPorts } from "./single-step.ts";

/** The caller of a step: it reads from the store, and changes it in short transactions with an audit row each. */
export interface StepCaller extends Scope {
  change<T>(work: (inside: Scope) => Promise<StepChange<T>>): Promise<T>;
  /** Names the run in the slot of the Idempotency-Key, in the transaction that inserts it. */
  begin(db: Db, runId: string): Promise<void>;
}

interface StepChange<T> {
  value: T;
  target: string;
  details: Record<string, unknown>;
  reference: string;
}

export interface StepOnCallPorts extends Omit<StepRunPorts, "begin" | "onEndedUnsent" | "onUnknown"> {
  /** Called in the transaction that saves a run with an unknown outcome. */
  announceUnknown(db: Db, run: StepRun): Promise<void>;
}

export interface StepWish {
  step: Step;
  connection: Connection;
  /** As the caller sent it, for the record of the run. */
  input: Record<string, unknown>;
  parsed: unknown;
  waitSeconds: number;
}

type StepAnswer = Promise<{ run: Run; outputText: string }>;

/** Runs a step now. A step that writes becomes durable, with its audit row, before its first write leaves. */
export async function runNow(scope: StepCaller, wish: StepWish, ports: StepOnCallPorts): StepAnswer {
  const { step, connection, input, parsed, waitSeconds } = wish;
  const run = newStepRun({
    region: scope.region,
    organizationId: scope.actor.organizationId,
    projectId: connection.projectId,
    step,
    connectionId: connection.id,
    params: redact(input, [], step.hides?.(parsed)),
    startedBy: scope.actor.userId,
    keyId: scope.actor.keyId,
    now: scope.now(),
  });
  const call = callOf(scope, { step, input: parsed, connection, runId: run.id, waitSeconds });
  const effect = step.effectOf?.(parsed) ?? step.effect;
  const begin: StepRunPorts["begin"] = (intended, inside) =>
    scope.change(async ({ db }) => {
      await insertStepRun(db, intended);
      await inside?.(db);
      const details = { step_id: step.id, connection_id: connection.id, effect };
      return { value: undefined, target: run.id, details, reference: run.id };
    });
  // A repeat with the same Idempotency-Key finds this run. A read may run again, because only the beginning of its
  // output is stored.
  const onEndedUnsent = (db: Db) => scope.begin(db, run.id);
  const stepPorts = { ...runPorts(ports, begin), ...(effect !== "read" && { onEndedUnsent }) };
  return runOneStep(run, call, stepPorts).catch(asStored(scope, run));
}

/** After a lost lease another worker owns the run: the store has its result. */
const asStored =
  (scope: Scope, { id }: Run) =>
  async (error: unknown) => {
    if (!(error instanceof LeaseLost)) throw error;
    const run = await requireRun(scope.db, projectOf(scope), id);
    return { run, outputText: JSON.stringify(run.output) };
  };

/** Parses the input of a replayed step, or refuses it. */
export type ReadInput = (step: Step, given: Record<string, unknown>) => unknown;

/** Runs the same step again as a new run, with the stored input unless the caller sends another. */
export async function replayStep(
  scope: StepCaller,
  run: StepRun,
  { input, read }: { input: Record<string, unknown> | undefined; read: ReadInput },
  ports: StepOnCallPorts,
): Promise<string> {
  const step = requireStep(run.work.id);
  const connection = await requireConnectionFor(step, scope, run.work.connectionId, ports);
  const given = input ?? (run.params as Record<string, unknown>);
  if (!input && !isWhole(step, given)) throw new Problem("run_not_repeatable");
  const wish = { step, connection, input: given, parsed: read(step, given), waitSeconds: waitSecondsDefault };
  const again = await runNow(scope, wish, ports);
  return again.run.id;
}

/** A person has checked the system and chose to retry: the stored step runs again, in the same run. */
export async function retryUnknown(scope: StepCaller, unknown: StepRun, ports: StepOnCallPorts): Promise<void> {
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

const runPorts = (ports: StepOnCallPorts, begin: StepRunPorts["begin"]): StepRunPorts => ({
  ...ports,
  begin,
  onUnknown: ports.announceUnknown,
});
