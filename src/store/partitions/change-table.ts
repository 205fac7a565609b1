import type { Store } from "../db.ts";
import { serverCodeOf } from "../postgres/errors.ts";
import { readState, requireNoGap } from "./catalogue.ts";
import type { Change } from "./make-partition.ts";
import type { GrowingTable } from "./months.ts";

/** The table was in use for longer than we may make others wait. Nothing was changed. */
export class TableBusy extends Error {}

/**
 * Changes the partitions of a table in one transaction, while no migration runs. Everybody who uses the table waits behind a
 * change that waits, so it gives up early.
 */
export async function changeTable<T>(
  store: Store,
  table: GrowingTable,
  lockMilliseconds: number,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  try {
    return await store.exclusively(async (db, runScript) => {
      await runScript(`set local lock_timeout = ${lockMilliseconds}`);
      const done = await work({ db, runScript, table });
      const state = await readState(db, table);
      if (state?.isPartitioned) requireNoGap(table, state.partitions);
      return done;
    });
  } catch (error) {
    if (busyCodes.has(serverCodeOf(error))) throw new TableBusy(`The table ${table.name} is in use.`, { cause: error });
    throw error;
  }
}

/** A lock that was not granted in time, or two that wait for each other. */
const busyCodes = new Set(["55P03", "40P01"]);
