import type { Db } from "../store/db.ts";
import type { AccessLevel, Identity } from "../systems/account.ts";
import type { SystemId } from "../systems/index.ts";
import type { Connection } from "./connections.ts";

/** What a first connect or a reconnect writes. */
export interface Granted
  extends Pick<
    Connection,
    | "id"
    | "organizationId"
    | "projectId"
    | "system"
    | "instance"
    | "addresses"
    | "label"
    | "identity"
    | "accessLevel"
    | "scopes"
    | "signInMethod"
    | "createdBy"
  > {
  sealed: string;
  dataKeyId: string;
  tokenRefreshAt: string | null;
  tokenExpiresAt: string | null;
  nextCheckAt: string;
  checkReason: string | null;
  now: string;
}

const grantedValues = (granted: Granted) => [
  granted.id,
  granted.instance,
  JSON.stringify(granted.addresses),
  granted.label,
  JSON.stringify(granted.identity),
  granted.accessLevel,
  JSON.stringify(granted.scopes),
  granted.signInMethod,
  granted.sealed,
  granted.dataKeyId,
  granted.tokenRefreshAt,
  granted.tokenExpiresAt,
  granted.nextCheckAt,
  granted.checkReason,
  granted.now,
];

export async function insertConnection(db: Db, granted: Granted): Promise<void> {
  await db.query(
    `insert into connections (id, instance, addresses, label, identity, access_level, scopes, way_in, sealed, data_key_id,
        token_refresh_at, token_expires_at, next_check_at, check_reason, created_at, updated_at, granted_at, checked_at,
        check_ok, organization_id, project_id, system, created_by, state, settings, token_generation, lease_fence, revision)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $15, $15,
        1, $16, $17, $18, $19, 'connected', '{}', 1, 0, 1)`,
    [...grantedValues(granted), granted.organizationId, granted.projectId, granted.system, granted.createdBy],
  );
}

/** Keeps id, policy and settings. A worker that is refreshing the old grant loses its lease. */
export async function replaceGrant(db: Db, granted: Granted): Promise<void> {
  await db.query(
    `update connections set instance = $2, addresses = $3, label = $4, identity = $5, access_level = $6, scopes = $7,
        way_in = $8, sealed = $9, data_key_id = $10, token_refresh_at = $11, token_expires_at = $12, next_check_at = $13,
        check_reason = $14, updated_at = $15, granted_at = $15, checked_at = $15, check_ok = 1, state = 'connected',
        state_reason = null, token_generation = token_generation + 1, revision = revision + 1,
        lease_owner = null, lease_until = null, lease_fence = lease_fence + 1, removing_until = null
      where id = $1`,
    grantedValues(granted),
  );
}

/** The connection is being removed until then; a reconnect ends it earlier. */
export async function markRemoving(db: Db, { id, grantedAt }: Connection, until: string): Promise<void> {
  await db.query("update connections set removing_until = $3 where id = $1 and granted_at = $2", [
    id,
    grantedAt,
    until,
  ]);
}

/**
 * Destroys the secrets. The row stays, so that its users can say why they notConnected. Returns false if the account was
 * reconnected since `grantedAt`.
 */
export async function markRemoved(
  db: Db,
  id: string,
  grantedAt: string,
  reason: string,
  now: string,
): Promise<boolean> {
  const rows = await db.query(
    `update connections set state = 'removed', state_reason = $3, sealed = null, data_key_id = null, token_refresh_at = null,
        token_expires_at = null, next_check_at = null, token_generation = token_generation + 1, lease_owner = null,
        lease_until = null, lease_fence = lease_fence + 1, updated_at = $4, revision = revision + 1
      where id = $1 and granted_at = $2 returning id`,
    [id, grantedAt, reason, now],
  );
  return rows.length > 0;
}

/** Only marks the grant of `grantedAt`: a reconnected account is not lost. */
export async function markLost(db: Db, id: string, grantedAt: string, reason: string, now: string): Promise<boolean> {
  const rows = await db.query(
    `update connections set state = 'needs_reconnect', state_reason = $3, check_ok = 0, check_reason = $3, checked_at = $4,
        next_check_at = null, updated_at = $4, revision = revision + 1
      where id = $1 and granted_at = $2 and state = 'connected' returning id`,
    [id, grantedAt, reason, now],
  );
  return rows.length > 0;
}

/** The credentials are still stored. The next call or the next check shows whether they work. */
export async function reopenAtSandbox(db: Db, system: SystemId, now: string): Promise<void> {
  await db.query(
    `update connections set state = 'connected', state_reason = null, check_ok = 1, check_reason = null, next_check_at = $2,
        updated_at = $2, revision = revision + 1
      where system = $1 and instance = 'sandbox' and state = 'needs_reconnect' and sealed is not null`,
    [system, now],
  );
}

export interface Checked {
  ok: boolean;
  reason: string | null;
  nextCheckAt: string;
  now: string;
  /** Present if the system returned the identity. */
  who?: { identity: Identity; accessLevel: AccessLevel | null; scopes: string[] } | undefined;
}

export async function updateChecked(db: Db, connection: Connection, checked: Checked): Promise<void> {
  const who = checked.who ?? connection;
  await db.query(
    `update connections set checked_at = $3, next_check_at = $4, check_ok = $5, check_reason = $6, identity = $7,
        access_level = $8, scopes = $9, revision = revision + 1
      where id = $1 and granted_at = $2 and state = 'connected'`,
    [
      connection.id,
      connection.grantedAt,
      checked.now,
      checked.nextCheckAt,
      checked.ok ? 1 : 0,
      checked.reason,
      JSON.stringify(who.identity),
      who.accessLevel,
      JSON.stringify(who.scopes),
    ],
  );
}
