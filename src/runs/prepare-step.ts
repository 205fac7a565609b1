import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { StepCall } from "../steps/ports.ts";
import { stepCall } from "../steps/step-call.ts";
import type { Step } from "../systems/define.ts";
import { findStep } from "../systems/index.ts";
import { holdsSecretMark } from "../transport/redact.ts";
import type { Connection, Vault } from "../vault/vault.ts";
import { findOwnerLoss } from "./queue/run-owner.ts";

/** How long a step waits for limits by default. */
export const waitSecondsDefault = 30;
/** How long a step may wait for slow work, such as a build, whatever its wait for limits. */
const staySeconds = 900;

export function requireStep(id: string): Step {
  const step = findStep(id);
  if (!step) throw new Problem("step_not_found");
  return step;
}

/**
 * A connection of the project to the step's system. A removed connection is returned, too: its run ends with
 * `needs_reconnect`.
 */
export async function requireConnectionFor(
  step: Step,
  scope: Scope,
  id: string,
  { vault }: { vault: Pick<Vault, "find"> },
): Promise<Connection> {
  const connection = await vault.find(projectOf(scope), id);
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

/** One call of a step on behalf of the caller, whose permission is checked again before each write. */
export function callOf(
  scope: Scope,
  wish: { step: Step; input: unknown; connection: Connection; runId: string; waitSeconds: number },
): StepCall {
  const { step, input, connection, runId, waitSeconds } = wish;
  const { keyId: callerId, userId: startedBy } = scope.actor;
  const findAccessLoss = () => findOwnerLoss(scope.db, { startedBy, projectId: connection.projectId });
  const times = { now: scope.now(), waitSeconds, staySeconds: Math.max(waitSeconds, staySeconds) };
  return stepCall({ step, input, connection, runId, callerId, findAccessLoss }, times);
}

/** Stored inputs have marks in place of secrets, and cannot be sent again. */
export const isWhole = (step: Step, kept: unknown): boolean =>
  step.input.safeParse(kept).success && !holdsSecretMark(kept);
