import type { Db } from "../../store/db.ts";
import { deleteBefore } from "../../store/delete-in-batches.ts";
import type { SystemId } from "../../systems/index.ts";
import type { Instance } from "../connections.ts";

/** A consent that was begun. In `working`, the user has returned and the code is being exchanged. */
export type ConnectState = "pending" | "working" | "connected" | "failed";

export interface Connect {
  /** Hash of the id that the caller and the consent page received. */
  id: string;
  organizationId: string;
  projectId: string;
  userId: string;
  keyId: string;
  system: SystemId;
  instance: Instance;
  addresses: Readonly<Record<string, string>>;
  label: string | null;
  connectionId: string | null;
  sealed: string | null;
  dataKeyId: string | null;
  state: ConnectState;
  problem: unknown;
  createdAt: string;
  expiresAt: string;
  /** Hash of the cookie of the browser that continued from our own page; null until then. */
  browserHash: string | null;
}

interface ConnectRow {
  id: string;
  organization_id: string;
  project_id: string;
  user_id: string;
  key_id: string;
  system: string;
  instance: string;
  addresses: string;
  label: string | null;
  connection_id: string | null;
  sealed: string | null;
  data_key_id: string | null;
  state: string;
  problem: string | null;
  created_at: string;
  expires_at: string;
  browser_hash: string | null;
}

// We wrote these texts ourselves, so the casts hold.
const toConnect = (row: ConnectRow): Connect => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  userId: row.user_id,
  keyId: row.key_id,
  system: row.system as SystemId,
  instance: row.instance as Instance,
  addresses: JSON.parse(row.addresses) as Record<string, string>,
  label: row.label,
  connectionId: row.connection_id,
  sealed: row.sealed,
  dataKeyId: row.data_key_id,
  state: row.state as ConnectState,
  problem: row.problem === null ? null : (JSON.parse(row.problem) as unknown),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  browserHash: row.browser_hash,
});

export async function insertConnect(db: Db, connect: Connect): Promise<void> {
  await db.query(
    `insert into connects (id, organization_id, project_id, user_id, key_id, system, instance, addresses, label,
        connection_id, sealed, data_key_id, state, problem, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, null, $14, $15)`,
    [
      connect.id,
      connect.organizationId,
      connect.projectId,
      connect.userId,
      connect.keyId,
      connect.system,
      connect.instance,
      JSON.stringify(connect.addresses),
      connect.label,
      connect.connectionId,
      connect.sealed,
      connect.dataKeyId,
      connect.state,
      connect.createdAt,
      connect.expiresAt,
    ],
  );
}

/** False if the consent is no longer pending or has expired. */
export async function bindToBrowser(db: Db, id: string, browserHash: string, now: string): Promise<boolean> {
  const rows = await db.query(
    "update connects set browser_hash = $2 where id = $1 and state = 'pending' and expires_at > $3 returning id",
    [id, browserHash, now],
  );
  return rows.length > 0;
}

export async function findConnect(db: Db, id: string): Promise<Connect | null> {
  const [row] = await db.query<ConnectRow>("select * from connects where id = $1", [id]);
  return row ? toConnect(row) : null;
}

/** Claims the consent once: a second or late request gets null. */
export async function claimConnect(db: Db, id: string, now: string): Promise<Connect | null> {
  const [row] = await db.query<ConnectRow>(
    "update connects set state = 'working' where id = $1 and state = 'pending' and expires_at > $2 returning *",
    [id, now],
  );
  return row ? toConnect(row) : null;
}

/** The secrets of the exchange are no longer needed. */
export async function endConnect(
  db: Db,
  id: string,
  ended: { state: "connected" | "failed"; connectionId?: string; problem?: unknown },
): Promise<void> {
  await db.query(
    `update connects set state = $2, connection_id = coalesce($3, connection_id), problem = $4, sealed = null,
        data_key_id = null where id = $1`,
    [id, ended.state, ended.connectionId ?? null, ended.problem === undefined ? null : JSON.stringify(ended.problem)],
  );
}

export const deleteConnectsBefore = (db: Db, moment: string): Promise<void> =>
  deleteBefore(db, { table: "connects", key: "id", time: "expires_at" }, moment);
