import { projectOf, type Scope } from "../../access/scope.ts";
import type { OutsideScope, Rooms } from "../../calls/define.ts";
import { Problem } from "../../kernel/problem.ts";
import { whyOwnerMayNot } from "../../runs/queue/run-owner.ts";
import { keepNewRun, newStepRun, type Run, requireRun, type StepRun, takeUpAgain } from "../../runs/runs.ts";
import { runOneStep, type StepRunPorts } from "../../runs/single-step.ts";
import { LeaseLost } from "../../steps/fence.ts";
import type { StepCall } from "../../steps/ports.ts";
import type { Step } from "../../systems/define.ts";
import { findStep } from "../../systems/index.ts";
import { holdsSecretMark, redact } from "../../transport/redact.ts";
import type { Connection } from "../../vault/vault.ts";
import { announceRun } from "../../webhooks/announce-runs.ts";
import { readStepInput } from "./input.ts";

export const waitSecondsStandard = 30;
/** A build may take this long, whatever the call wants to wait for limits. */
const staySeconds = 900;

export function requireStep(id: string): Step {
  const step = findStep(id);
  if (!step) throw new Problem("step_not_found");
  return step;
}

/** One of the project, and of the step's system. Removed ones are found too: the run says that it needs reconnecting. */
export async function requireConnectionFor(step: Step, scope: Scope, id: string, rooms: Rooms): Promise<Connection> {
  const connection = await rooms.vault.find(projectOf(scope), id);
  if (!connection) throw new Problem("connection_not_found");
  if (connection.system !== step.system.id) {
    throw new Problem(
      "validation_failed",
      `The connection is one to ${connection.system}, and the step calls ${step.system.id}.`,
      {
        errors: [
          { pointer: "#/connection_id", code: "wrong_system", detail: `Name a connection to ${step.system.id}.` },
        ],
      },
    );
  }
  return connection;
}

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);

export function callOf(
  step: Step,
  input: unknown,
  connection: Connection,
  scope: Scope,
  runId: string,
  waitSeconds: number,
): StepCall {
  const now = scope.now();
  return {
    step,
    input,
    connection,
    context: { intentId: runId, now, identity: connection.identity },
    runId,
    callerId: scope.actor.keyId,
    whyNoLonger: () => whyOwnerMayNot(scope.db, { startedBy: scope.actor.userId, projectId: connection.projectId }),
    waitUntil: later(now, waitSeconds),
    stayUntil: later(now, Math.max(waitSeconds, staySeconds)),
  };
}

export async function runNow(
  scope: OutsideScope,
  step: Step,
  connection: Connection,
  given: { input: Record<string, unknown>; wait_seconds: number },
  parsed: unknown,
  rooms: Rooms,
): Promise<{ run: Run; outputText: string }> {
  const run = newStepRun({
    region: scope.region,
    organizationId: scope.actor.organizationId,
    projectId: connection.projectId,
    step,
    connectionId: connection.id,
    params: redact(given.input, [], step.hides?.(parsed)),
    startedBy: scope.actor.userId,
    keyId: scope.actor.keyId,
    now: scope.now(),
  });
  const call = callOf(step, parsed, connection, scope, run.id, given.wait_seconds);
  const begin: StepRunPorts["begin"] = (intended, inside) =>
    scope.change(async ({ db }) => {
      await keepNewRun(db, intended);
      await inside?.(db);
      const effect = step.effectOf?.(parsed) ?? step.effect;
      const details = { step_id: step.id, connection_id: connection.id, effect };
      return { value: undefined, target: run.id, details, reference: run.id };
    });
  return runOneStep(run, call, portsFor(scope, run, rooms, begin)).catch(asOthersLeftIt(scope, run));
}

/** This process was taken for dead, and the run is somebody else's by now: it is what they say it is. */
const asOthersLeftIt =
  (scope: Scope, { id }: Run) =>
  async (error: unknown) => {
    if (!(error instanceof LeaseLost)) throw error;
    const run = await requireRun(scope.db, projectOf(scope), id);
    return { run, outputText: JSON.stringify(run.output) };
  };

/** The same step once more, as a run of its own; with the input that it had, unless there is another. */
export async function replayStep(
  scope: OutsideScope,
  run: StepRun,
  input: Record<string, unknown> | undefined,
  rooms: Rooms,
): Promise<string> {
  const step = requireStep(run.work.id);
  const connection = await requireConnectionFor(step, scope, run.work.connectionId, rooms);
  const given = input ?? (run.params as Record<string, unknown>);
  if (!input && !isWhole(step, given)) throw new Problem("run_not_repeatable");
  const parsed = readStepInput(step, given, "params");
  const again = await runNow(
    scope,
    step,
    connection,
    { input: given, wait_seconds: waitSecondsStandard },
    parsed,
    rooms,
  );
  return again.run.id;
}

/** What is kept of an input has marks where its secrets were: it cannot be sent again. */
const isWhole = (step: Step, kept: unknown): boolean => step.input.safeParse(kept).success && !holdsSecretMark(kept);

/** "Try again", from a person who has looked: the very step, as the record has it, in the same run. */
export async function runAgain(scope: OutsideScope, unknown: StepRun, rooms: Rooms): Promise<void> {
  const step = requireStep(unknown.work.id);
  const connection = await requireConnectionFor(step, scope, unknown.work.connectionId, rooms);
  if (!isWhole(step, unknown.params)) throw new Problem("run_not_repeatable");
  const hold = rooms.runs.hold(unknown.id, unknown.fence + 1);
  try {
    const run = await scope.change(async ({ db }) => {
      const value = await takeUpAgain(db, unknown, hold);
      return { value, target: unknown.id, details: { outcome: "retry" }, reference: unknown.id };
    });
    const call = callOf(step, step.input.parse(unknown.params), connection, scope, run.id, waitSecondsStandard);
    const ports = { ...portsFor(scope, run, rooms, null), hold: () => hold };
    await runOneStep(run, call, ports).catch(asOthersLeftIt(scope, run));
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
