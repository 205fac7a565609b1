import { createAnalyticsSandbox } from "../../sandboxes/analytics/analytics.ts";
import { StepFailed } from "../../src/systems/define.ts";
import { type DriveAt, startSandbox } from "./drive-step.ts";

/** Wednesday afternoon in Paris; the sandbox's figures up to then are always the same. */
export const testTime = "2026-10-14T14:30:00.000Z";

export type Role =
  | "viewer"
  | "editor"
  | "administrator"
  | "read-scope-only"
  | "edit-scope-only"
  | "no-revenue"
  | "outsider";

/** The analytics sandbox on a free port, and its people to act as. */
export async function startAnalytics() {
  const sandbox = await startSandbox(createAnalyticsSandbox);
  return {
    ...sandbox,
    as: (role: Role, now = new Date(testTime)): DriveAt => ({
      addresses: { data: sandbox.url, admin: sandbox.url },
      token: `ya29.sandbox-${role}`,
      identity: { label: `${role}@analytics-sandbox.example` },
      now,
    }),
    async reset() {
      await sandbox.control("/reset", {});
      await sandbox.control("/clock", { now: testTime });
    },
  };
}

/** How a piece of work failed; it must. */
export async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StepFailed)) throw new Error(`It did not fail as a step does: ${error}`);
  return error.failure;
}
