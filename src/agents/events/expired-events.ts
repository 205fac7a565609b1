import { type ExpiringTable, searchedTo, withSameMark } from "../../store/expiring.ts";
import { deleteEvents, findHandled, lockHandled, readEventRow } from "./expired-events.store.ts";

/** Events that agents of a project have received. Those that wait for their agent stay. */
export const expiredEvents: ExpiringTable = {
  async find(db, projectId, page) {
    const rows = await findHandled(db, projectId, page);
    return { rows, searchedTo: searchedTo(rows, page.limit) };
  },
  async unchanged(db, projectId, rows, before) {
    const ids = rows.map(({ id }) => id);
    return withSameMark(rows, await lockHandled(db, projectId, ids, before));
  },
  remove: deleteEvents,
  async *read(db, id) {
    const row = await readEventRow(db, id);
    if (row) yield { table: "events", row };
  },
};
