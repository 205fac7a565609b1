import { runColumns } from "../record/run-record.ts";

/** A published definition is stored once, by its version. It is most of what a queued run would hold. */
const published =
  "(select v.definition from tool_versions v where v.tool_id = runs.tool_id and v.version = runs.tool_version)";

/** What a worker reads of a run that it claims. */
export const plannedColumns = `${runColumns}, coalesce(definition, ${published}) as definition`;

/** From when on a worker looks for due runs, and until when it holds those that it claims. */
export interface ClaimTimes {
  dueFrom: string;
  now: string;
  leaseUntil: string;
}

/** The index of due runs includes the organization, so skipped runs cost little. */
export const notOf = (organizations: readonly string[], firstMark: number): string =>
  organizations.length === 0
    ? ""
    : ` and organization_id not in (${organizations.map((_, index) => `$${firstMark + index}`).join(", ")})`;
