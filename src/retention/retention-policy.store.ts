import type { Db } from "../store/db.ts";

/** How long records of one kind are kept, and whether they are exported before they are deleted. Null: for ever. */
export interface KindPolicy {
  days: number | null;
  export: boolean;
}

export interface RetentionPolicy {
  runs: KindPolicy;
  events: KindPolicy;
  deliveries: KindPolicy;
  audit: KindPolicy;
}

export interface StoredPolicy extends RetentionPolicy {
  updatedBy: string;
  updatedAt: string;
}

interface PolicyRow {
  runs_days: number | null;
  runs_export: number;
  events_days: number | null;
  events_export: number;
  deliveries_days: number | null;
  deliveries_export: number;
  audit_days: number | null;
  updated_by: string;
  updated_at: string;
}

const toPolicy = (row: PolicyRow): StoredPolicy => ({
  runs: { days: row.runs_days, export: row.runs_export === 1 },
  events: { days: row.events_days, export: row.events_export === 1 },
  deliveries: { days: row.deliveries_days, export: row.deliveries_export === 1 },
  audit: { days: row.audit_days, export: true },
  updatedBy: row.updated_by,
  updatedAt: row.updated_at,
});

export async function findPolicy(db: Db, organizationId: string): Promise<StoredPolicy | null> {
  const [row] = await db.query<PolicyRow>("select * from retention_policies where organization_id = $1", [
    organizationId,
  ]);
  return row ? toPolicy(row) : null;
}

export async function savePolicy(
  db: Db,
  organizationId: string,
  { runs, events, deliveries, audit }: RetentionPolicy,
  by: { userId: string; at: string },
): Promise<void> {
  await db.query(
    `insert into retention_policies (organization_id, runs_days, runs_export, events_days, events_export, deliveries_days,
                                     deliveries_export, audit_days, updated_by, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (organization_id) do update
        set runs_days = excluded.runs_days, runs_export = excluded.runs_export, events_days = excluded.events_days,
            events_export = excluded.events_export, deliveries_days = excluded.deliveries_days,
            deliveries_export = excluded.deliveries_export, audit_days = excluded.audit_days,
            updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
    [
      organizationId,
      runs.days,
      Number(runs.export),
      events.days,
      Number(events.export),
      deliveries.days,
      Number(deliveries.export),
      audit.days,
      by.userId,
      by.at,
    ],
  );
}
