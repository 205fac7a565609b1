import { projectOf, type Scope } from "../../access/scope.ts";
import type { ExternalScope, Rooms } from "../../calls/define.ts";
import { Problem } from "../../kernel/problem.ts";
import { callOf, isWhole, requireConnectionFor, requireStep, waitSecondsDefault } from "../../runs/prepare-step.ts";
import { insertStepRun, newStepRun, type Run, reclaimUnknown, requireRun, type StepRun } from "../../runs/runs.ts";
import { runOneStep, type StepRunPorts } from "../../runs/single-step.ts";
import { LeaseLost } from "../../steps/fence.ts";
import type { Db } from "../../store/db.ts";
import type { Step } from "../../systems/define.ts";
import { redact } from "../../transport/redact.ts";
import type { Connection } from "../../vault/vault.ts";
import { announceRun } from "../../webhooks/announce-runs.ts";
import { readStepInput } from "./input.ts";

export interface StepWish {
  step: Step;
  connection: Connection;
  /** As the caller sent it, for the record of the run. */
  input: Record<string, unknown>;
  parsed: unknown;
  waitSeconds: number;
}

/** Runs a step now. A step that writes becomes durable, with its audit row, before its first write leaves. */
export async function runNow(
  scope: ExternalScope,
  { step, connection, input, parsed, waitSeconds }: StepWish,
  rooms: Rooms,
): Promise<{ run: Run; outputText: string }> {
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
  const ports = { ...portsFor(scope, run, rooms, begin), ...(effect !== "read" && { onEndedUnsent }) };
  return runOneStep(run, call, ports).catch(asStored(scope, run));
}

/** After a lost lease another worker owns the run: the store has its result. */
const asStored =
  (scope: Scope, { id }: Run) =>
  async (error: unknown) => {
    if (!(error instanceof LeaseLost)) throw error;
    const run = await requireRun(scope.db, projectOf(scope), id);
    return { run, outputText: JSON.stringify(run.output) };
  };

/** Runs the same step again as a new run, with the stored input unless the caller sends another. */
export async function replayStep(
  scope: ExternalScope,
  run: StepRun,
  input: Record<string, unknown> | undefined,
  rooms: Rooms,
): Promise<string> {
  const step = requireStep(run.work.id);
  const connection = await requireConnectionFor(step, scope, run.work.connectionId, rooms);
  const given = input ?? (run.params as Record<string, unknown>);
  if (!input && !isWhole(step, given)) throw new Problem("run_not_repeatable");
  const parsed = readStepInput(step, given, "params");
  const wish = { step, connection, input: given, parsed, waitSeconds: waitSecondsDefault };
  const again = await runNow(scope, wish, rooms);
  return again.run.id;
}

/** A person has checked the system and chose to retry: the stored step runs again, in the same run. */
export async function runAgain(scope: ExternalScope, unknown: StepRun, rooms: Rooms): Promise<void> {
  const step = requireStep(unknown.work.id);
  const connection = await requireConnectionFor(step, scope, unknown.work.connectionId, rooms);
  if (!isWhole(step, unknown.params)) throw new Problem("run_not_repeatable");
  const hold = rooms.runs.hold(unknown.id, unknown.fence + 1);
  try {
    const run = await scope.change(async ({ db }) => {
      const value = await reclaimUnknown(db, unknown, hold);
      return { value, target: unknown.id, details: { outcome: "retry" }, reference: unknown.id };
    });
    const input = step.input.parse(unknown.params);
    const call = callOf(scope, { step, input, connection, runId: run.id, waitSeconds: waitSecondsDefault });
    const ports = { ...portsFor(scope, run, rooms, null), hold: () => hold };
    await runOneStep(run, call, ports).catch(asStored(scope, run));
  } finally {
    hold.release();
  }
}

const portsFor = (scope: Scope, run: Run, rooms: Rooms, begin: StepRunPorts["begin"]): StepRunPorts => ({
  ...rooms.steps,
  begin,
  hold: rooms.runs.hold,
  async onUnknown(db, { problem }) {
    await announceRun(db, run, { status: "outcome_unknown", problem, waitingFor: null }, scope.now());
  },
});
