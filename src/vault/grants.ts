import type { Db } from "../store/db.ts";
import type { Connection } from "./connections.ts";
import { type Granted, insertConnection, markLost, markRemoved, replaceGrant } from "./grants.store.ts";

export { reopenAtSandbox, updateChecked } from "./grants.store.ts";

/**
 * The life of what a connection was given: kept, looked at, lost, destroyed. An end is always that of one grant: where the
 * account was connected anew meanwhile, the new one is left alone.
 */

/** The first one of a new connection, or another one in its endpoint. */
export const keepGrant = (db: Db, existing: Connection | null, granted: Granted): Promise<void> =>
  existing ? replaceGrant(db, granted) : insertConnection(db, granted);

/** Once: whoever comes second, or after it was connected anew, says nothing. */
export async function loseIfStill(
  db: Db,
  connection: Connection,
  reason: string,
  { now, onLost }: { now: () => Date; onLost(db: Db, connection: Connection, reason: string): Promise<void> },
): Promise<void> {
  const isLost = await markLost(db, connection.id, connection.grantedAt, reason, now().toISOString());
  if (isLost) await onLost(db, connection, reason);
}

/** Somebody has connected the account anew in the meantime. */
export class GrantedAnew extends Error {}

/** Destroys the secrets. Throws GrantedAnew where they are not those of then. */
export async function removeGrant(db: Db, { id, grantedAt }: Connection, reason: string, now: Date): Promise<void> {
  if (!(await markRemoved(db, id, grantedAt, reason, now.toISOString()))) throw new GrantedAnew(id);
}
