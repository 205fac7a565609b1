import type { Db } from "../store/db.ts";
import type { AccessLevel, ConnectionSettings, Identity } from "../systems/account.ts";
import type { SystemId } from "../systems/index.ts";

export type ConnectionState = "connected" | "needs_reconnect" | "removed";
export type Instance = "live" | "sandbox" | "custom";

export interface Health {
  checkedAt: string | null;
  nextCheckAt: string | null;
  /** Null until the first check. */
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
  signInMethod: string;
  /** The policy as the user gave it; null without one. */
  policy: unknown;
  settings: ConnectionSettings;
  health: Health;
  /** Grows with each new token; 0 without one. */
  tokenGeneration: number;
  revision: number;
  createdBy: string | null;
  createdAt: string;
  updatedAt: string;
  /** The time of the last connect or reconnect. */
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

// We wrote these texts ourselves, so the casts hold.
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
  signInMethod: row.way_in,
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

/** The only read of the hot path: it tells whether the cached connection is still current. */
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

/** In any project: for the operator and for background work. */
export async function findConnectionById(db: Db, id: string): Promise<Connection | null> {
  const [row] = await db.query<ConnectionRow>(`select ${columns} from connections where id = $1`, [id]);
  return row ? toConnection(row) : null;
}

export interface ConnectionPage {
  system?: string | undefined;
  after: string;
  limit: number;
}

export async function listConnections(db: Db, projectId: string, page: ConnectionPage): Promise<Connection[]> {
  const rows = await db.query<ConnectionRow>(
    `select ${columns} from connections
      where project_id = $1 and id > $2 ${page.system === undefined ? "" : "and system = $4"} order by id limit $3`,
    [projectId, page.after, page.limit, ...(page.system === undefined ? [] : [page.system])],
  );
  return rows.map(toConnection);
}

/** What a change of a connection changes, also that it needs to be reconnected. */
export type SeenConnection = Pick<Connection, "id" | "revision" | "state">;

export const listSeenConnections = (db: Db, projectId: string): Promise<SeenConnection[]> =>
  db.query("select id, revision, state from connections where project_id = $1 order by id limit 500", [projectId]);

/** Connected accounts of one system, in all projects of an organization, page after page. */
export async function listConnected(
  db: Db,
  organizationId: string,
  system: string,
  page: { after: string; limit: number },
): Promise<Connection[]> {
  const rows = await db.query<ConnectionRow>(
    `select ${columns} from connections
      where organization_id = $1 and system = $2 and state = 'connected' and id > $3 order by id limit $4`,
    [organizationId, system, page.after, page.limit],
  );
  return rows.map(toConnection);
}

/** Those of them that nobody is removing at `now`. */
export async function listStaying(
  db: Db,
  organizationId: string,
  system: string,
  now: string,
  page: { after: string; limit: number },
): Promise<Connection[]> {
  const rows = await db.query<ConnectionRow>(
    `select ${columns} from connections where organization_id = $1 and system = $2 and state = 'connected'
        and (removing_until is null or removing_until <= $3) and id > $4 order by id limit $5`,
    [organizationId, system, now, page.after, page.limit],
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

/** Returns the connections of each organization that have waited longest for a check. */
export async function listDueForCheck(db: Db, now: string, ofEach: number, limit: number): Promise<Connection[]> {
  const rows = await db.query<ConnectionRow>(
    `select ${columns} from
       (select c.*, row_number() over (partition by organization_id order by next_check_at, id) as turn
          from connections c where state = 'connected' and next_check_at <= $1) due
      where turn <= $2 order by turn, next_check_at limit $3`,
    [now, ofEach, limit],
  );
  return rows.map(toConnection);
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
