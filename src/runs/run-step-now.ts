import type { ChangingScope } from "../access/changing-scope.ts";
import { projectOf, type Scope } from "../access/scope.ts";
import { LeaseLost } from "../steps/fence.ts";
import type { Db } from "../store/db.ts";
import type { Step } from "../systems/define.ts";
import { redactAnySize } from "../transport/redact-in-slices.ts";
import type { Connection } from "../vault/vault.ts";
import { callOf } from "./prepare-step.ts";
import { storeLargeParams } from "./queue/start-run.ts";
import { type Run, requireRun, type StepRun } from "./runs.ts";
import { runOneStep, type StepRunPorts } from "./single-step/single-step.ts";
import { insertStepRun, newStepRun } from "./single-step/step-run.ts";

export interface StepCaller extends ChangingScope {
  /** Names the run in the slot of the Idempotency-Key, in the transaction that inserts it. */
  begin(db: Db, runId: string): Promise<void>;
}

export interface StepNowPorts extends Omit<StepRunPorts, "begin" | "onEndedUnsent" | "onUnknown"> {
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
export async function runNow(scope: StepCaller, wish: StepWish, ports: StepNowPorts): StepAnswer {
  const { step, connection, input, parsed, waitSeconds } = wish;
  const now = scope.now();
  const params = await redactAnySize(input, step.hides?.(parsed));
  await storeLargeParams(scope.db, params, now);
  const run = newStepRun({
    region: scope.region,
    organizationId: scope.actor.organizationId,
    projectId: connection.projectId,
    step,
    connectionId: connection.id,
    params,
    startedBy: scope.actor.userId,
    keyId: scope.actor.keyId,
    now,
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
export const asStored =
  (scope: Scope, { id }: Run) =>
  async (error: unknown) => {
    if (!(error instanceof LeaseLost)) throw error;
    const run = await requireRun(scope.db, projectOf(scope), id);
    return { run, outputText: JSON.stringify(run.output) };
  };

export const runPorts = (ports: StepNowPorts, begin: StepRunPorts["begin"]): StepRunPorts => ({
  ...ports,
  begin,
  onUnknown: ports.announceUnknown,
});
