import type { Scope } from "../../access/scope.ts";
import type { Rooms } from "../../calls/define-operation.ts";
import type { StepNowPorts } from "../../runs/run-step-now.ts";
import { announceRun } from "../../webhooks/announce-runs.ts";

/** What a step needs that a caller runs, replays or retries. */
export const stepPorts = (scope: Scope, rooms: Rooms): StepNowPorts => ({
  ...rooms.steps,
  hold: rooms.runs.hold,
  async announceUnknown(db, run) {
    await announceRun(db, run, { status: "outcome_unknown", problem: run.problem, waitingFor: null }, scope.now());
  },
});
