import { moveTimesBack, moveUnsortedTimesBack, type TimeBounds } from "../store/clock/move-times-back.ts";
import type { Db } from "../store/db.ts";

/** The columns that obtaining a token needs. */
export interface TokenRow {
  organization_id: string;
  instance: string;
  addresses: string;
  granted_at: string;
  state: string;
  state_reason: string | null;
  sealed: string | null;
  token_generation: number;
  token_refresh_at: string | null;
  token_expires_at: string | null;
  lease_until: string | null;
}

export async function readTokenRow(db: Db, id: string): Promise<TokenRow | null> {
  const [row] = await db.query<TokenRow>(
    `select organization_id, instance, addresses, granted_at, state, state_reason, sealed, token_generation,
        token_refresh_at, token_expires_at, lease_until
       from connections where id = $1`,
    [id],
  );
  return row ?? null;
}

export interface Lease {
  owner: string;
  /** Rises with each lease: a holder with a lower fence can no longer write. */
  fence: number;
}

/** Takes a lease that is free or expired, provided that the token is still the one of `generation`. */
export async function takeLease(
  db: Db,
  id: string,
  wanted: { owner: string; generation: number; now: string; until: string },
): Promise<Lease | null> {
  const [row] = await db.query<{ lease_fence: number }>(
    `update connections set lease_owner = $2, lease_until = $5, lease_fence = lease_fence + 1
      where id = $1 and state = 'connected' and token_generation = $3 and (lease_until is null or lease_until <= $4)
      returning lease_fence`,
    [id, wanted.owner, wanted.generation, wanted.now, wanted.until],
  );
  return row ? { owner: wanted.owner, fence: row.lease_fence } : null;
}

/** For a restart with no other node running: nothing is obtaining a token any more. */
export async function endTokenLeases(db: Db): Promise<void> {
  await db.query("update connections set lease_owner = null, lease_until = null where lease_until is not null");
}

export interface NewToken {
  sealed: string;
  dataKeyId: string;
  refreshAt: string | null;
  expiresAt: string | null;
  now: string;
}

/** Writes only while the lease is held. Returns the new token's generation. */
export async function saveToken(db: Db, id: string, lease: Lease, token: NewToken): Promise<number | null> {
  const [row] = await db.query<{ token_generation: number }>(
    `update connections set sealed = $4, data_key_id = $5, token_refresh_at = $6, token_expires_at = $7,
        token_generation = token_generation + 1, lease_owner = null, lease_until = null, updated_at = $8,
        revision = revision + 1
      where id = $1 and lease_owner = $2 and lease_fence = $3 and state = 'connected'
      returning token_generation`,
    [id, lease.owner, lease.fence, token.sealed, token.dataKeyId, token.refreshAt, token.expiresAt, token.now],
  );
  return row?.token_generation ?? null;
}

/** Releases the lease without a new token. `refreshAt` postpones the next refresh if the old token still works. */
export async function releaseLease(db: Db, id: string, lease: Lease, refreshAt: string | null): Promise<void> {
  await db.query(
    `update connections set lease_owner = null, lease_until = null, token_refresh_at = coalesce($4, token_refresh_at)
      where id = $1 and lease_owner = $2 and lease_fence = $3`,
    [id, lease.owner, lease.fence, refreshAt],
  );
}

/** Records a lost grant, only while the lease is held. */
export async function markGrantLost(db: Db, id: string, lease: Lease, reason: string, now: string): Promise<boolean> {
  const rows = await db.query(
    `update connections set state = 'needs_reconnect', state_reason = $4, check_ok = 0, check_reason = $4, checked_at = $5,
        next_check_at = null, lease_owner = null, lease_until = null, updated_at = $5, revision = revision + 1
      where id = $1 and lease_owner = $2 and lease_fence = $3 and state = 'connected' returning id`,
    [id, lease.owner, lease.fence, reason, now],
  );
  return rows.length > 0;
}

export const moveTokenLeasesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveUnsortedTimesBack(db, { table: "connections", key: "id", time: "lease_until" }, bounds);

export const moveChecksBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { table: "connections", key: "id", time: "next_check_at", only: "state = 'connected'" }, bounds);
