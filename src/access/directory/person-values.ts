import type { Db } from "../../store/db.ts";
import { deleteValues, insertValues, type PersonValue } from "./person-values.store.ts";

/** The values by which people are searched, besides the columns of their row. */

export type { PersonValue } from "./person-values.store.ts";
export { deleteAllValues, insertValues, termOf } from "./person-values.store.ts";

/** Rewrites only attributes that changed. */
export async function rewriteValues(
  db: Db,
  { directoryId, userId }: { directoryId: string; userId: string },
  before: PersonValue[],
  after: PersonValue[],
): Promise<void> {
  const [old, now] = [before, after].map((values) => Map.groupBy(values, ({ attribute }) => attribute));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  const changed = [...names].filter((name) => JSON.stringify(old?.get(name)) !== JSON.stringify(now?.get(name)));
  await deleteValues(db, userId, changed);
  const rows = changed.flatMap((name) => now?.get(name) ?? []);
  await insertValues(db, directoryId, userId, rows);
}
