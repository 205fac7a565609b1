import { type IdKind, idAt, timeOfId } from "../kernel/ids.ts";
import type { Region } from "../kernel/regions.ts";
import type { GrowingTable } from "../store/partitions/months.ts";
import { auditNumbersOnce } from "./growing-tables.store.ts";

/**
 * The tables that an operator may have partitioned by month. Events are not among them: an event is recognized by its sender's id
 * among all stored ones, and a unique key of a partitioned table must contain the column that it is partitioned by.
 */
export const growingTables = (region: Region): readonly GrowingTable[] => [
  byId("runs", "id", "run", region),
  byId("run_steps", "run_id", "run", region),
  byId("large_outputs", "run_id", "run", region),
  byId("deliveries", "id", "delivery", region),
  {
    name: "audit_log",
    column: "at",
    order: "organization_id, seq",
    boundAt: (time) => time.toISOString(),
    timeOf: (bound) => new Date(bound),
    ruleForAll: auditNumbersOnce,
  },
];

/** Ids begin with their time, so a range of ids is a range of time. */
const byId = (name: string, column: string, kind: IdKind, region: Region): GrowingTable => ({
  name,
  column,
  order: column,
  boundAt: (time) => idAt(kind, region, time),
  timeOf: timeOfId,
});
