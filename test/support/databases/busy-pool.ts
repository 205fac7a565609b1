import { expect } from "vitest";
import type { Store } from "../../../src/store/db.ts";

/** All connections of a pool of ten but the two that are kept for authentication. */
const ordinary = 8;
const slow = "select pg_sleep(600) /* slow */";

/** Does the work while slow statements use every ordinary connection of the store. */
export async function whileBusy<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const { reserve } = store;
  const running = Array.from({ length: ordinary }, () => store.query(slow).catch(() => {}));
  const active = "from pg_stat_activity where datname = current_database() and state = 'active' and query = $1";
  try {
    await expect.poll(() => reserve.query(`select count(*) as n ${active}`, [slow])).toEqual([{ n: ordinary }]);
    return await work();
  } finally {
    await reserve.query(`select pg_cancel_backend(pid) ${active}`, [slow]);
    await Promise.all(running);
  }
}
