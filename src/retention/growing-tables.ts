import { type IdKind, idAt, timeOfId } from "../kernel/ids.ts";
import type { Region } from "../kernel/regions.ts";
import type { GrowingTable } from "../store/partitions/months.ts";
import { auditNumbersOnce, eventKeysOnce, fillEventKeys } from "./growing-tables.store.ts";

/** The tables that an operator may have partitioned by month. */
export const growingTables = (region: Region): readonly GrowingTable[] => [
  byId("runs", "id", "run", region),
  byId("run_steps", "run_id", "run", region),
  byId("large_outputs", "run_id", "run", region),
  byId("deliveries", "id", "delivery", region),
  { ...byId("events", "id", "event", region), ruleForAll: eventKeysOnce, fillRule: fillEventKeys },
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
