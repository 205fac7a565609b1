import type { Db, Value } from "../../store/db.ts";

/** The last link of an organization's chain. */
export interface AuditHead {
  organizationId: string;
  seq: number;
  hash: string;
}

export interface AuditRow {
  organization_id: string;
  seq: number;
  at: string;
  action: string;
  actor_kind: string;
  actor_id: string | null;
  key_id: string | null;
  project_id: string | null;
  target: string | null;
  details: string;
  request_id: string | null;
  ip: string | null;
  prev_hash: string;
  hash: string;
}

export async function insertHead(db: Db, head: AuditHead): Promise<void> {
  await db.query("insert into audit_heads (organization_id, seq, hash) values ($1, $2, $3)", [
    head.organizationId,
    head.seq,
    head.hash,
  ]);
}

export async function lockHead(db: Db, organizationId: string): Promise<AuditHead | null> {
  const [row] = await db.query<{ seq: number; hash: string }>(
    `select seq, hash from audit_heads where organization_id = $1 ${db.lockRow}`,
    [organizationId],
  );
  return row ? { organizationId, seq: row.seq, hash: row.hash } : null;
}

export async function updateHead(db: Db, head: AuditHead): Promise<void> {
  await db.query("update audit_heads set seq = $2, hash = $3 where organization_id = $1", [
    head.organizationId,
    head.seq,
    head.hash,
  ]);
}

export async function insertAuditRow(db: Db, row: AuditRow): Promise<void> {
  await db.query(
    `insert into audit_log (organization_id, seq, at, action, actor_kind, actor_id, key_id, project_id, target, details,
                            request_id, ip, prev_hash, hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      row.organization_id,
      row.seq,
      row.at,
      row.action,
      row.actor_kind,
      row.actor_id,
      row.key_id,
      row.project_id,
      row.target,
      row.details,
      row.request_id,
      row.ip,
      row.prev_hash,
      row.hash,
    ],
  );
}

/** Newest first, below `before` if it is given; of one project, or of the whole organization. */
export async function listAuditRows(
  db: Db,
  wanted: { organizationId: string; projectId: string | null; before: number | null; limit: number },
): Promise<AuditRow[]> {
  const values: Value[] = [wanted.organizationId, wanted.before ?? Number.MAX_SAFE_INTEGER, wanted.limit];
  if (wanted.projectId !== null) values.push(wanted.projectId);
  return db.query<AuditRow>(
    `select * from audit_log where organization_id = $1 and seq < $2
        ${wanted.projectId === null ? "" : "and project_id = $4"}
      order by seq desc limit $3`,
    values,
  );
}

/** What a search looks for; the bounds of time have been turned into bounds of `seq` beside these. */
export interface AuditFilter {
  userId?: string | undefined;
  /** An action, or the part before its dot. */
  action?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** In action, target, details, actor, request or address, whatever its case. */
  text?: string | undefined;
}

export interface AuditSearch {
  organizationId: string;
  projectId: string | null;
  /** Exclusive bounds. */
  above: number;
  below: number;
  order: "newest" | "oldest";
  limit: number;
  filter: AuditFilter;
}

/** Of the next `rowsMax` rows, those that fit. `searchedTo` names the last row that was read if others remain behind it. */
export async function searchAuditRows(
  db: Db,
  search: AuditSearch,
  rowsMax: number,
): Promise<{ rows: AuditRow[]; searchedTo: number | null }> {
  const [order, last] = search.order === "newest" ? ["desc", "min"] : ["asc", "max"];
  const within: Value[] = [search.organizationId, search.above, search.below];
  if (search.projectId !== null) within.push(search.projectId);
  const bounds = `organization_id = $1 and seq > $2 and seq < $3 ${search.projectId === null ? "" : "and project_id = $4"}`;
  const [scanned] = await db.query<{ rows: number; last: number | null }>(
    `select count(*) as rows, ${last}(seq) as last
       from (select seq from audit_log where ${bounds} order by seq ${order} limit ${rowsMax}) as scanned`,
    within,
  );
  if (!scanned || scanned.last === null) return { rows: [], searchedTo: null };
  const values = [...within, scanned.last];
  const upTo = `seq ${search.order === "newest" ? ">=" : "<="} $${values.length}`;
  const conditions = conditionsOf(search.filter, values);
  values.push(search.limit);
  const rows = await db.query<AuditRow>(
    `select * from audit_log where ${[bounds, upTo, ...conditions].join(" and ")}
      order by seq ${order} limit $${values.length}`,
    values,
  );
  return { rows, searchedTo: Number(scanned.rows) === rowsMax ? Number(scanned.last) : null };
}

const searchedColumns = ["action", "target", "details", "actor_id", "key_id", "request_id", "ip"];

/** Adds its values to those of the statement. */
function conditionsOf({ userId, action, since, until, text }: AuditFilter, values: Value[]): string[] {
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const escaped = (part: string): string => part.replace(/[!%_]/g, "!$&");
  const conditions: string[] = [];
  if (userId !== undefined) conditions.push(`actor_id = ${parameter(userId)}`);
  if (action !== undefined) {
    conditions.push(`(action = ${parameter(action)} or action like ${parameter(`${escaped(action)}.%`)} escape '!')`);
  }
  if (since !== undefined) conditions.push(`at >= ${parameter(since)}`);
  if (until !== undefined) conditions.push(`at < ${parameter(until)}`);
  if (text !== undefined) {
    const wanted = parameter(`%${escaped(text)}%`);
    const holds = searchedColumns.map((column) => `lower(${column}) like lower(${wanted}) escape '!'`);
    conditions.push(`(${holds.join(" or ")})`);
  }
  return conditions;
}

/** The time of one row, or null where there is none. */
export async function findAuditTime(db: Db, organizationId: string, seq: number): Promise<string | null> {
  const [row] = await db.query<{ at: string }>("select at from audit_log where organization_id = $1 and seq = $2", [
    organizationId,
    seq,
  ]);
  return row?.at ?? null;
}

/** Oldest first, above `after`: the direction in which a chain is verified and exported. */
export async function readChain(
  db: Db,
  organizationId: string,
  projectId: string | null,
  after: number,
  limit: number,
): Promise<AuditRow[]> {
  const values: Value[] = [organizationId, after, limit];
  if (projectId !== null) values.push(projectId);
  return db.query<AuditRow>(
    `select * from audit_log where organization_id = $1 and seq > $2
        ${projectId === null ? "" : "and project_id = $4"}
      order by seq limit $3`,
    values,
  );
}

export async function readHead(db: Db, organizationId: string): Promise<AuditHead | null> {
  const [row] = await db.query<{ seq: number; hash: string }>(
    "select seq, hash from audit_heads where organization_id = $1",
    [organizationId],
  );
  return row ? { organizationId, seq: row.seq, hash: row.hash } : null;
}

/** Whether an organization exists: each has a chain from its creation on. */
export async function hasAnyChain(db: Db): Promise<boolean> {
  return (await db.query("select 1 from audit_heads limit 1")).length > 0;
}

export async function listChains(db: Db): Promise<string[]> {
  const rows = await db.query<{ organization_id: string }>(
    "select organization_id from audit_heads order by organization_id",
  );
  return rows.map((row) => row.organization_id);
}
