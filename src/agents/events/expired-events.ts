import { expiringTable } from "../../store/expiring-tables.ts";
import { deleteEvents, findHandled, lockHandled, readEventRow } from "./expired-events.store.ts";

/** Events that agents of a project have received. Those that wait for their agent stay. */
export const expiredEvents = expiringTable({
  table: "events",
  find: findHandled,
  lock: lockHandled,
  remove: deleteEvents,
  read: readEventRow,
});
