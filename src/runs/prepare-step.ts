import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { StepCall } from "../steps/ports.ts";
import type { Step } from "../systems/define.ts";
import { findStep } from "../systems/index.ts";
import { holdsSecretMark } from "../transport/redact.ts";
import type { Connection, Vault } from "../vault/vault.ts";
import { whyOwnerMayNot } from "./queue/run-owner.ts";

/** How long a step waits for limits unless its call says otherwise. */
export const waitSecondsStandard = 30;
/** A build may take this long, also where the call waits less for limits. */
const staySeconds = 900;

export function requireStep(id: string): Step {
  const step = findStep(id);
  if (!step) throw new Problem("step_not_found");
  return step;
}

/** A connection of the project to the step's system. A removed one is found, too: its run ends with `needs_reconnect`. */
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

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);

/** One call of a step on behalf of the caller, whose right to it is checked again before each write. */
export function callOf(
  scope: Scope,
  wish: { step: Step; input: unknown; connection: Connection; runId: string; waitSeconds: number },
): StepCall {
  const { step, input, connection, runId, waitSeconds } = wish;
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

/** A stored input has marks in place of its secrets: such an input cannot be sent again. */
export const isWhole = (step: Step, kept: unknown): boolean =>
  step.input.safeParse(kept).success && !holdsSecretMark(kept);
