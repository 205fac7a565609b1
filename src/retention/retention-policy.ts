import type { Db } from "../store/db.ts";
import { findPolicy, type RetentionPolicy, savePolicy } from "./retention-policy.store.ts";

export type { KindPolicy, RetentionPolicy, StoredPolicy } from "./retention-policy.store.ts";
export { findPolicy } from "./retention-policy.store.ts";

/** What is deleted by policy. `runs` includes their steps, attempts and outputs. */
export const retentionKinds = ["runs", "events", "deliveries", "audit"] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** What applies to an organization that has set nothing. */
export const defaultPolicy: RetentionPolicy = {
  runs: { days: null, export: true },
  events: { days: 30, export: false },
  deliveries: { days: 30, export: false },
  audit: { days: null, export: true },
};

export const daysMax = 3650;

/** The fewest days that each kind can be kept, and why. */
export const fewestDays: Readonly<Record<RetentionKind, { days: number; why: string }>> = {
  runs: { days: 7, why: "a lost response, a replay or an Idempotency-Key can refer to a run for days" },
  events: { days: 7, why: "for 7 days, an event that is sent again is recognized by the stored one" },
  deliveries: { days: 7, why: "a delivery is retried for about three days, and people replay those that failed" },
  audit: { days: 90, why: "incidents are often found weeks after they happened" },
};

/** The organization's policy, or the default. */
export const readPolicy = async (db: Db, organizationId: string): Promise<RetentionPolicy> =>
  (await findPolicy(db, organizationId)) ?? defaultPolicy;

/** The audit log is always exported. */
export type PolicyChange = {
  [Kind in RetentionKind]?: { days?: number | null | undefined; export?: boolean | undefined } | undefined;
};

/** Changes what is named, and leaves the rest. */
export async function changePolicy(
  db: Db,
  organizationId: string,
  change: PolicyChange,
  by: { userId: string; at: string },
): Promise<{ before: RetentionPolicy; after: RetentionPolicy }> {
  const before = await readPolicy(db, organizationId);
  const after = { ...before };
  for (const kind of retentionKinds) {
    const { days, export: isExported } = change[kind] ?? {};
    after[kind] = { days: days === undefined ? before[kind].days : days, export: isExported ?? before[kind].export };
  }
  await savePolicy(db, organizationId, after, by);
  return { before, after };
}
