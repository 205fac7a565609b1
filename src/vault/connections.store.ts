import type { Db } from "../store/db.ts";
import type { AccessLevel, ConnectionSettings, Identity, SystemId } from "../systems/define.ts";

export type ConnectionState = "connected" | "needs_reconnect" | "removed";
export type Instance = "live" | "sandbox" | "custom";

export interface Health {
  checkedAt: string | null;
  nextCheckAt: string | null;
  /** Null until it was looked at. */
  ok: boolean | null;
  reason: string | null;
}

/** A connected account, without its secrets. */
export interface Connection {
  id: string;
  organizationId: string;
  projectId: string;
  system: SystemId;
  instance: Instance;
  /** Origins by api name: {main: "https://…"} or {data: …, admin: …} */
  addresses: Readonly<Record<string, string>>;
  label: string;
  state: ConnectionState;
  stateReason: string | null;
  identity: Identity;
  accessLevel: AccessLevel | null;
  scopes: string[];
  /** client_credentials, oauth, service_account or token. */
  wayIn: string;
  /** As it was given; null where there is none. */
  policy: unknown;
  settings: ConnectionSettings;
  health: Health;
  /** Grows with each new token; 0 where there is none. */
  tokenGeneration: number;
  revision: number;
  createdBy: string | null;
  createdAt: string;
  updatedAt: string;
  /** When it was connected last. */
  grantedAt: string;
}

interface ConnectionRow {
  id: string;
  organization_id: string;
  project_id: string;
  system: string;
  instance: string;
  addresses: string;
  label: string;
  state: string;
  state_reason: string | null;
  identity: string;
  access_level: string | null;
  scopes: string;
  way_in: string;
  policy: string | null;
  settings: string;
  token_generation: number;
  checked_at: string | null;
  next_check_at: string | null;
  check_ok: number | null;
  check_reason: string | null;
  revision: number;
  created_by: string | null;
  created_at: string;
  updated_at: string;
  granted_at: string;
}

// We wrote these texts ourselves, so they are what they say.
const toConnection = (row: ConnectionRow): Connection => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  system: row.system as SystemId,
  instance: row.instance as Instance,
  addresses: JSON.parse(row.addresses) as Record<string, string>,
  label: row.label,
  state: row.state as ConnectionState,
  stateReason: row.state_reason,
  identity: JSON.parse(row.identity) as Identity,
  accessLevel: row.access_level as AccessLevel | null,
  scopes: JSON.parse(row.scopes) as string[],
  wayIn: row.way_in,
  policy: row.policy === null ? null : (JSON.parse(row.policy) as unknown),
  settings: JSON.parse(row.settings) as ConnectionSettings,
  health: {
    checkedAt: row.checked_at,
    nextCheckAt: row.next_check_at,
    ok: row.check_ok === null ? null : row.check_ok === 1,
    reason: row.check_reason,
  },
  tokenGeneration: row.token_generation,
  revision: row.revision,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  grantedAt: row.granted_at,
});

const columns = `id, organization_id, project_id, system, instance, addresses, label, state, state_reason, identity, access_level,
  scopes, way_in, policy, settings, token_generation, checked_at, next_check_at, check_ok, check_reason, revision,
  created_by, created_at, updated_at, granted_at`;

/** The hot path's one read: whether what was read before is still true. */
export async function findRevision(db: Db, projectId: string, id: string): Promise<number | null> {
  const [row] = await db.query<{ revision: number }>(
    "select revision from connections where id = $1 and project_id = $2",
    [id, projectId],
  );
  return row?.revision ?? null;
}

export async function findConnection(db: Db, projectId: string, id: string): Promise<Connection | null> {
  const [row] = await db.query<ConnectionRow>(`select ${columns} from connections where id = $1 and project_id = $2`, [
    id,
    projectId,
  ]);
  return row ? toConnection(row) : null;
}

/** Whichever project it is in: for the operator and for work behind the requests. */
export async function findConnectionById(db: Db, id: string): Promise<Connection | null> {
  const [row] = await db.query<ConnectionRow>(`select ${columns} from connections where id = $1`, [id]);
  return row ? toConnection(row) : null;
}

export interface ConnectionPage {
  system?: SystemId | undefined;
  after: string;
  limit: number;
}

export async function listConnections(db: Db, projectId: string, page: ConnectionPage): Promise<Connection[]> {
  const rows = await db.query<ConnectionRow>(
    `select ${columns} from connections where project_id = $1 and id > $2 and ($3 = '' or system = $3) order by id limit $4`,
    [projectId, page.after, page.system ?? "", page.limit],
  );
  return rows.map(toConnection);
}

/** Of all projects, for the operator. */
export async function listAllConnections(db: Db, page: ConnectionPage): Promise<Connection[]> {
  const rows = await db.query<ConnectionRow>(`select ${columns} from connections where id > $1 order by id limit $2`, [
    page.after,
    page.limit,
  ]);
  return rows.map(toConnection);
}

export async function listDueForCheck(db: Db, now: string, limit: number): Promise<Connection[]> {
  const rows = await db.query<ConnectionRow>(
    `select ${columns} from connections where state = 'connected' and next_check_at <= $1 order by next_check_at limit $2`,
    [now, limit],
  );
  return rows.map(toConnection);
}

/** What a connect, a first one or another, writes. */
export interface Granted {
  id: string;
  organizationId: string;
  projectId: string;
  system: SystemId;
  instance: Instance;
  addresses: Readonly<Record<string, string>>;
  label: string;
  identity: Identity;
  accessLevel: AccessLevel | null;
  scopes: string[];
  wayIn: string;
  sealed: string;
  dataKeyId: string;
  tokenRefreshAt: string | null;
  tokenExpiresAt: string | null;
  nextCheckAt: string;
  checkReason: string | null;
  createdBy: string | null;
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
  granted.wayIn,
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

/** Keeps id, policy and settings. Whoever was refreshing the old grant loses the lease with it. */
export async function replaceGrant(db: Db, granted: Granted): Promise<void> {
  await db.query(
    `update connections set instance = $2, addresses = $3, label = $4, identity = $5, access_level = $6, scopes = $7,
        way_in = $8, sealed = $9, data_key_id = $10, token_refresh_at = $11, token_expires_at = $12, next_check_at = $13,
        check_reason = $14, updated_at = $15, granted_at = $15, checked_at = $15, check_ok = 1, state = 'connected',
        state_reason = null, token_generation = token_generation + 1, revision = revision + 1,
        lease_owner = null, lease_until = null, lease_fence = lease_fence + 1
      where id = $1`,
    grantedValues(granted),
  );
}

export interface Edited {
  label: string;
  settings: ConnectionSettings;
  policy: unknown;
}

export async function updateEdited(db: Db, id: string, edited: Edited, now: string): Promise<void> {
  await db.query(
    `update connections set label = $2, settings = $3, policy = $4, updated_at = $5, revision = revision + 1 where id = $1`,
    [
      id,
      edited.label,
      JSON.stringify(edited.settings),
      edited.policy === null ? null : JSON.stringify(edited.policy),
      now,
    ],
  );
}

/**
 * The secrets are gone with this; the row stays, so that what uses it can say why it stopped. Only those of then: answers
 * whether it was not connected anew meanwhile.
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

/** Only the grant of then: one that was connected anew meanwhile is not lost. */
export async function markLost(db: Db, id: string, grantedAt: string, reason: string, now: string): Promise<boolean> {
  const rows = await db.query(
    `update connections set state = 'needs_reconnect', state_reason = $3, check_ok = 0, check_reason = $3, checked_at = $4,
        next_check_at = null, updated_at = $4, revision = revision + 1
      where id = $1 and granted_at = $2 and state = 'connected' returning id`,
    [id, grantedAt, reason, now],
  );
  return rows.length > 0;
}

/** Their credentials are still there; whether they work shows with the next call, or the next look. */
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
  /** Where the system told who it is. */
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
