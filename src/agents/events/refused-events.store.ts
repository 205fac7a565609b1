import type { Db } from "../../store/db.ts";
import { deleteBefore } from "../../store/delete-in-batches.ts";

/** A request to an agent's address that was refused because of its signature. */
export interface Refusal {
  /** Begins with its time, so that it sorts. */
  id: string;
  agentId: string;
  reason: "invalid" | "not_signed";
  at: string;
}

interface RefusalRow {
  id: string;
  agent_id: string;
  reason: Refusal["reason"];
  at: string;
}

const toRefusal = ({ agent_id: agentId, ...row }: RefusalRow): Refusal => ({ ...row, agentId });

export async function insertRefusal(db: Db, { id, agentId, reason, at }: Refusal): Promise<void> {
  await db.query(
    "insert into event_refusals (id, agent_id, reason, at) values ($1, $2, $3, $4) on conflict (id) do nothing",
    [id, agentId, reason, at],
  );
}

/** Newest first. */
export async function listRefusals(db: Db, agentId: string, limit: number): Promise<Refusal[]> {
  const rows = await db.query<RefusalRow>(
    "select * from event_refusals where agent_id = $1 order by id desc limit $2",
    [agentId, limit],
  );
  return rows.map(toRefusal);
}

/** Keeps the newest of an agent. */
export async function deleteOlderRefusals(db: Db, agentId: string, kept: number): Promise<void> {
  await db.query(
    `delete from event_refusals where agent_id = $1 and id <= (
       select id from event_refusals where agent_id = $1 order by id desc limit 1 offset $2)`,
    [agentId, kept],
  );
}

export const deleteOldRefusals = (db: Db, before: string): Promise<void> =>
  deleteBefore(db, { table: "event_refusals", key: "id", time: "at" }, before);
