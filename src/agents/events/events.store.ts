import type { Db, Row, Value } from "../../store/db.ts";
import { ownText, readTextInTurns } from "../../store/large-texts.ts";
import { type FoundRows, searchRows } from "../../store/search-rows.ts";

/**
 * queued: the agent was paused; started: it started a run; ignored: no rule matches; failed: a rule matches, but its
 * tool could not be started.
 */
export type EventStatus = "queued" | "started" | "ignored" | "failed";

/**
 * What became of the signature when the event arrived. old_timestamp: it fits, but the event says that it is older than
 * the ids that we keep, so it may repeat an earlier one.
 */
export type EventSignature = "valid" | "invalid" | "not_signed" | "old_timestamp";

export interface AgentEvent {
  id: string;
  organizationId: string;
  projectId: string;
  agentId: string;
  /** The sender's id of the event, or the hash of its bytes. A second event with the same key is a repeat. */
  repeatKey: string | null;
  /** Our name for it if we have one, else the sender's. */
  type: string;
  systemType: string;
  /** The JSON text as it was received, or the reference to it: `readBody` returns the text. */
  body: string;
  /** Null for events from before it was kept. */
  signature: EventSignature | null;
  status: EventStatus;
  runIds: string[];
  problem: string | null;
  createdAt: string;
  handledAt: string | null;
}

const columns = `id, organization_id, project_id, agent_id, repeat_key, type, system_type, body, signature, status, run_ids,
  problem, created_at, handled_at`;

/** A listed event, without its body, which may be megabytes. */
export type ListedEvent = Omit<AgentEvent, "body">;

const listedColumns = columns.replace(" body,", "");

const toEvent = (row: Row): AgentEvent => ({ ...toListed(row), body: String(row.body) });

const toListed = (row: Row): ListedEvent => ({
  id: String(row.id),
  organizationId: String(row.organization_id),
  projectId: String(row.project_id),
  agentId: String(row.agent_id),
  repeatKey: row.repeat_key as string | null,
  type: String(row.type),
  systemType: String(row.system_type),
  signature: row.signature as EventSignature | null,
  status: row.status as EventStatus,
  runIds: JSON.parse(String(row.run_ids)) as string[],
  problem: row.problem as string | null,
  createdAt: String(row.created_at),
  handledAt: row.handled_at as string | null,
});

/**
 * Returns false if the agent has received it before. The conflict names no key: where events are partitioned, a trigger keeps the
 * rule instead of `events_once`.
 */
export async function insertEvent(db: Db, event: AgentEvent): Promise<boolean> {
  const rows = await db.query(
    `insert into events (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict do nothing returning id`,
    [
      event.id,
      event.organizationId,
      event.projectId,
      event.agentId,
      event.repeatKey,
      event.type,
      event.systemType,
      event.body,
      event.signature,
      event.status,
      JSON.stringify(event.runIds),
      event.problem,
      event.createdAt,
      event.handledAt,
    ],
  );
  return rows.length > 0 && ownBody(db, event);
}

async function ownBody(db: Db, { id, body }: AgentEvent): Promise<true> {
  if (!(await ownText(db, body))) throw new Error(`The body of the event ${id} is no longer in the store.`);
  return true;
}

export const readBody = (db: Db, event: AgentEvent): Promise<string> => readTextInTurns(db, event.body);

export async function findRepeated(db: Db, agentId: string, repeatKey: string): Promise<AgentEvent | null> {
  const [row] = await db.query(`select ${columns} from events where agent_id = $1 and repeat_key = $2`, [
    agentId,
    repeatKey,
  ]);
  return row ? toEvent(row) : null;
}

/** From now on the same key names another event. */
export async function releaseKey(db: Db, id: string): Promise<void> {
  await db.query("update events set repeat_key = null where id = $1", [id]);
}

export async function findEvent(db: Db, projectId: string, id: string): Promise<AgentEvent | null> {
  const [row] = await db.query(`select ${columns} from events where project_id = $1 and id = $2`, [projectId, id]);
  return row ? toEvent(row) : null;
}

/** Locks the event until this transaction ends. */
export async function lockEvent(db: Db, projectId: string, id: string): Promise<AgentEvent | null> {
  const [row] = await db.query(`select ${columns} from events where project_id = $1 and id = $2 ${db.lockRow}`, [
    projectId,
    id,
  ]);
  return row ? toEvent(row) : null;
}

export async function countQueued(db: Db, agentId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*) as count from events where agent_id = $1 and status = 'queued'",
    [agentId],
  );
  return Number(row?.count ?? 0);
}

export async function updateHandled(db: Db, event: AgentEvent): Promise<void> {
  await db.query("update events set status = $2, run_ids = $3, problem = $4, handled_at = $5 where id = $1", [
    event.id,
    event.status,
    JSON.stringify(event.runIds),
    event.problem,
    event.handledAt,
  ]);
}

/** Events after `after` that are queued though their agent is not paused, oldest first. */
const isStartable = `status = 'queued'
        and exists (select 1 from agents a where a.id = events.agent_id and a.paused = 0)`;

export async function listStartable(
  db: Db,
  organizationId: string,
  after: string,
  limit: number,
): Promise<AgentEvent[]> {
  const rows = await db.query(
    `select ${columns} from events where organization_id = $1 and id > $2 and ${isStartable} order by id limit $3`,
    [organizationId, after, limit],
  );
  return rows.map(toEvent);
}

export async function listOrganizationsToStart(db: Db): Promise<string[]> {
  const rows = await db.query<{ organization_id: string }>(
    `select distinct organization_id from events where ${isStartable}`,
  );
  return rows.map((row) => row.organization_id);
}

/** Returns true for one caller only, and never while the agent is paused. */
export async function claimQueued(db: Db, id: string): Promise<boolean> {
  const rows = await db.query(
    `update events set status = 'started' where id = $1 and status = 'queued'
        and exists (select 1 from agents a where a.id = events.agent_id and a.paused = 0)
     returning id`,
    [id],
  );
  return rows.length > 0;
}

export async function ignoreQueued(db: Db, agentId: string, problem: string, now: string): Promise<void> {
  await db.query(
    "update events set status = 'ignored', problem = $2, handled_at = $3 where agent_id = $1 and status = 'queued'",
    [agentId, problem, now],
  );
}

/** Of those that arrived until then. Returns how many. */
export async function failQueued(db: Db, until: string, problem: string): Promise<number> {
  const rows = await db.query(
    `update events set status = 'failed', problem = $2, handled_at = $1
      where status = 'queued' and created_at <= $1 returning id`,
    [until, problem],
  );
  return rows.length;
}

/** Newest first. `searchedTo` names the last event that was read if the page is not full and older ones remain. */
export async function listEvents(
  db: Db,
  projectId: string,
  filter: { agentId: string | null; status: EventStatus | null; type: string | null },
  page: { after: string; limit: number },
): Promise<FoundRows<ListedEvent>> {
  const values: Value[] = [];
  const equals = (column: string, value: string | null): string[] =>
    value === null ? [] : [`${column} = $${values.push(value)}`];
  const ofProject = `project_id = $${values.push(projectId)}`;
  const ofAgent = equals("agent_id", filter.agentId);
  const conditions = [ofProject, ...ofAgent, ...equals("status", filter.status), ...equals("type", filter.type)];
  const [indexed = ofProject] = ofAgent;
  const where = conditions.join(" and ");
  const search = {
    table: "events",
    columns: listedColumns,
    indexed: [indexed] as const,
    where,
    values,
    order: "newest" as const,
  };
  const { rows, searchedTo } = await searchRows<Row>(db, search, page);
  return { rows: rows.map(toListed), searchedTo };
}
