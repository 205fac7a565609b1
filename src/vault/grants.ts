import type { Db } from "../store/db.ts";
import type { Connection } from "./connections.ts";
import { type Granted, insertConnection, markLost, markRemoved, replaceGrant } from "./grants.store.ts";

export { markRemoving, reopenAtSandbox, updateChecked } from "./grants.store.ts";

/**
 * The life of a grant: saved, checked, lost, destroyed. Losing or removing always names one grant: if the account was
 * reconnected meanwhile, the new grant stays untouched.
 */

/** Inserts a new connection or replaces the grant of an existing one. */
export const saveGrant = (db: Db, existing: Connection | null, granted: Granted): Promise<void> =>
  existing ? replaceGrant(db, granted) : insertConnection(db, granted);

/** Reports the loss once: later callers, or callers that come after a reconnect, report nothing. */
export async function markLostOnce(
  db: Db,
  connection: Connection,
  reason: string,
  { now, onLost }: { now: () => Date; onLost(db: Db, connection: Connection, reason: string): Promise<void> },
): Promise<void> {
  const isLost = await markLost(db, connection.id, connection.grantedAt, reason, now().toISOString());
  if (isLost) await onLost(db, connection, reason);
}

/** The account was reconnected in the meantime. */
export class ReconnectedMeanwhile extends Error {}

/** Destroys the secrets. Throws ReconnectedMeanwhile if the account was reconnected since. */
export async function removeGrant(db: Db, { id, grantedAt }: Connection, reason: string, now: Date): Promise<void> {
  if (!(await markRemoved(db, id, grantedAt, reason, now.toISOString()))) throw new ReconnectedMeanwhile(id);
}
