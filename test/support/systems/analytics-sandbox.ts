import { createAnalyticsSandbox } from "../../../sandboxes/analytics/analytics.ts";
import { type DriveAt, startSandbox } from "./drive-step.ts";

export { failureOf } from "./drive-step.ts";

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

/** The analytics sandbox on a free port, and its users. */
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
