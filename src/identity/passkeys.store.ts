import type { Db } from "../store/db.ts";

export interface Passkey {
  id: string;
  userId: string;
  credentialId: string;
  /** COSE, base64url. */
  publicKey: string;
  counter: number;
  transports: string[];
  label: string;
  /** The person's devices share it; it is not lost with one of them. */
  synced: boolean;
  createdAt: string;
  lastUsedAt: string | null;
}

interface PasskeyRow {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: string;
  counter: number;
  transports: string;
  label: string;
  synced: number;
  created_at: string;
  last_used_at: string | null;
}

const toPasskey = (row: PasskeyRow): Passkey => ({
  id: row.id,
  userId: row.user_id,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: row.counter,
  transports: JSON.parse(row.transports) as string[],
  label: row.label,
  synced: row.synced === 1,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

/** Returns false if the credential is already registered. */
export async function insertPasskey(db: Db, passkey: Passkey): Promise<boolean> {
  const rows = await db.query(
    `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, label, synced, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (credential_id) do nothing returning id`,
    [
      passkey.id,
      passkey.userId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      JSON.stringify(passkey.transports),
      passkey.label,
      passkey.synced ? 1 : 0,
      passkey.createdAt,
    ],
  );
  return rows.length > 0;
}

export async function findPasskeyByCredential(db: Db, credentialId: string): Promise<Passkey | null> {
  const [row] = await db.query<PasskeyRow>("select * from passkeys where credential_id = $1", [credentialId]);
  return row ? toPasskey(row) : null;
}

export async function listPasskeysOf(
  db: Db,
  userId: string,
  page: { after: string; limit: number },
): Promise<Passkey[]> {
  const rows = await db.query<PasskeyRow>(
    "select * from passkeys where user_id = $1 and id > $2 order by id limit $3",
    [userId, page.after, page.limit],
  );
  return rows.map(toPasskey);
}

/** Returns false if the counter changed in the meantime: then there is a copy of the passkey. */
export async function markUsed(db: Db, passkey: Passkey, counter: number, at: string): Promise<boolean> {
  const rows = await db.query(
    "update passkeys set counter = $3, last_used_at = $4 where id = $1 and counter = $2 returning id",
    [passkey.id, passkey.counter, counter, at],
  );
  return rows.length > 0;
}

export async function hasPasskey(db: Db, userId: string, id: string): Promise<boolean> {
  return (await db.query("select id from passkeys where id = $1 and user_id = $2", [id, userId])).length > 0;
}

export async function deletePasskey(db: Db, userId: string, id: string): Promise<void> {
  await db.query("delete from passkeys where id = $1 and user_id = $2", [id, userId]);
}
