import { addMonths } from "../store/partitions/add-months.ts";
import { readState } from "../store/partitions/catalogue.ts";
import { dropEmpty } from "../store/partitions/drop-empty.ts";
import type { GrowingTable } from "../store/partitions/months.ts";
import { dropLeftCheck } from "../store/partitions/partition-table.ts";
import { growingTables } from "./growing-tables.ts";
import type { PassParts } from "./prune-pass.ts";

/** Everybody who uses the table waits for as long as we wait for it. The next pass tries again. */
const lockMilliseconds = 500;
const movedRowsMax = 10_000;

/** Before rows are deleted: every month has its partition before it begins. Nothing fails if not: the last partition takes its rows. */
export const prepareMonths = (parts: PassParts): Promise<void> =>
  forEach(parts, "partitions for the next months could not be created, will be tried again", async (table) => {
    const { store, now, log } = parts;
    if (await dropLeftCheck(store, table, now(), lockMilliseconds))
      log.warn({ table: table.name }, "an interrupted `signalbox partition` was undone: run it again");
    const state = await readState(store, table);
    if (!state?.isPartitioned) return;
    const made = await addMonths(store, table, now(), { lockMilliseconds, movedRowsMax });
    if (made.length > 0) log.info({ table: table.name, partitions: made }, "created partitions for the next months");
  });

/** After rows were deleted: drops the months that have none left. */
export const dropEmptyMonths = (parts: PassParts): Promise<void> =>
  forEach(parts, "empty partitions could not be dropped, will be tried again", async (table) => {
    const { store, now, log } = parts;
    const dropped = await dropEmpty(store, table, now(), lockMilliseconds);
    if (dropped.length > 0) log.info({ table: table.name, partitions: dropped }, "dropped empty partitions");
  });

async function forEach(parts: PassParts, failed: string, work: (table: GrowingTable) => Promise<void>): Promise<void> {
  if (parts.store.kind !== "postgres") return;
  for (const table of growingTables(parts.region)) {
    if (parts.hasStopped()) return;
    await work(table).catch((error) => parts.log.warn({ err: error, table: table.name }, failed));
  }
}
