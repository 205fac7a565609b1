import type { Db } from "../../store/db.ts";

export interface DataKeyRow {
  id: string;
  organization_id: string;
  master_key_id: string;
  wrapped: string;
}

/** Locks the row until the transaction ends: a rotation and the creation of a key wait for each other here. */
export async function lockMasterKeyId(db: Db): Promise<string | null> {
  const [row] = await db.query<{ key_id: string }>(`select key_id from master_key where id = 'current' ${db.lockRow}`);
  return row?.key_id ?? null;
}

/** The master key that this store's secrets need; null while nothing is sealed. */
export async function readMasterKeyId(db: Pick<Db, "query">): Promise<string | null> {
  const [row] = await db.query<{ key_id: string }>("select key_id from master_key where id = 'current'");
  return row?.key_id ?? null;
}

/** Keeps an existing row. */
export async function insertMasterKeyId(db: Db, keyId: string, now: string): Promise<void> {
  await db.query(
    "insert into master_key (id, key_id, changed_at) values ('current', $1, $2) on conflict (id) do nothing",
    [keyId, now],
  );
}

export async function changeMasterKeyId(db: Db, keyId: string, now: string): Promise<void> {
  await db.query(
    `insert into master_key (id, key_id, changed_at) values ('current', $1, $2)
     on conflict (id) do update set key_id = excluded.key_id, changed_at = excluded.changed_at`,
    [keyId, now],
  );
}

export async function findDataKey(db: Db, id: string): Promise<DataKeyRow | null> {
  const [row] = await db.query<DataKeyRow>(
    "select id, organization_id, master_key_id, wrapped from data_keys where id = $1",
    [id],
  );
  return row ?? null;
}

/** Locks the row until the transaction ends, so that no rotation retires a key in use. */
export async function lockCurrentDataKey(db: Db, organizationId: string): Promise<DataKeyRow | null> {
  const [row] = await db.query<DataKeyRow>(
    `select id, organization_id, master_key_id, wrapped from data_keys
      where organization_id = $1 and retired_at is null ${db.lockRow}`,
    [organizationId],
  );
  return row ?? null;
}

/** Of two concurrent inserts, the first one stays. */
export async function insertDataKey(db: Db, key: DataKeyRow, now: string): Promise<void> {
  await db.query(
    `insert into data_keys (id, organization_id, master_key_id, wrapped, created_at) values ($1, $2, $3, $4, $5)
     on conflict (organization_id) where retired_at is null do nothing`,
    [key.id, key.organization_id, key.master_key_id, key.wrapped, now],
  );
}

export async function retireDataKey(db: Db, organizationId: string, now: string): Promise<void> {
  await db.query("update data_keys set retired_at = $2 where organization_id = $1 and retired_at is null", [
    organizationId,
    now,
  ]);
}

export const listDataKeysNotUnder = (db: Db, masterKeyId: string, limit: number): Promise<DataKeyRow[]> =>
  db.query<DataKeyRow>(
    `select id, organization_id, master_key_id, wrapped from data_keys where master_key_id <> $1 order by id limit $2`,
    [masterKeyId, limit],
  );

export async function replaceWrapping(db: Db, before: DataKeyRow, masterKeyId: string, wrapped: string) {
  await db.query("update data_keys set master_key_id = $3, wrapped = $4 where id = $1 and master_key_id = $2", [
    before.id,
    before.master_key_id,
    masterKeyId,
    wrapped,
  ]);
}

export async function organizationsWithKeys(db: Db): Promise<string[]> {
  const rows = await db.query<{ organization_id: string }>(
    "select organization_id from data_keys where retired_at is null order by organization_id",
  );
  return rows.map((row) => row.organization_id);
}

/** Deletes retired keys that nothing is sealed with any more. */
export async function deleteUnusedKeys(db: Db): Promise<number> {
  const gone = await db.query(
    `delete from data_keys where retired_at is not null
        and not exists (select 1 from connections c where c.data_key_id = data_keys.id)
        and not exists (select 1 from connects c where c.data_key_id = data_keys.id)
        and not exists (select 1 from webhooks w where w.data_key_id = data_keys.id)
        and not exists (select 1 from agents a where a.data_key_id = data_keys.id)
        and not exists (select 1 from code_generators g where g.data_key_id = data_keys.id)
        and not exists (select 1 from sso_providers p where p.data_key_id = data_keys.id)
        and not exists (select 1 from audit_anchors a where a.data_key_id = data_keys.id)
     returning id`,
  );
  return gone.length;
}

/** The tables that hold sealed text, each with the columns `sealed` and `data_key_id`. */
export const sealedTables = [
  "connections",
  "connects",
  "webhooks",
  "agents",
  "code_generators",
  "sso_providers",
  "audit_anchors",
] as const;
export type SealedTable = (typeof sealedTables)[number];

export interface SealedRow {
  id: string;
  organization_id: string;
  sealed: string;
}

/** Rows sealed with a retired key. */
export const listOldSealed = (db: Db, table: SealedTable, limit: number): Promise<SealedRow[]> =>
  db.query<SealedRow>(
    `select t.id, t.organization_id, t.sealed from ${table} t join data_keys k on k.id = t.data_key_id
      where k.retired_at is not null and t.sealed is not null order by t.id limit $1`,
    [limit],
  );

/** Skips a row that was sealed again meanwhile. */
export async function replaceSealed(db: Db, table: SealedTable, before: SealedRow, sealed: string, keyId: string) {
  await db.query(`update ${table} set sealed = $3, data_key_id = $4 where id = $1 and sealed = $2`, [
    before.id,
    before.sealed,
    sealed,
    keyId,
  ]);
}
