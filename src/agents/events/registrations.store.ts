import type { Db, Row } from "../../store/db.ts";

/** A webhook at the platform that was created for an agent. */
export interface Registration {
  agentId: string;
  connectionId: string;
  systemWebhookId: string;
  events: string[];
  createdAt: string;
}

const toRegistration = (row: Row): Registration => ({
  agentId: String(row.agent_id),
  connectionId: String(row.connection_id),
  systemWebhookId: String(row.system_webhook_id),
  events: JSON.parse(String(row.events)) as string[],
  createdAt: String(row.created_at),
});

export async function putRegistration(db: Db, made: Registration): Promise<void> {
  await db.query(
    `insert into registrations (agent_id, connection_id, system_webhook_id, events, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (agent_id, connection_id) do update set system_webhook_id = excluded.system_webhook_id,
       events = excluded.events, created_at = excluded.created_at`,
    [made.agentId, made.connectionId, made.systemWebhookId, JSON.stringify(made.events), made.createdAt],
  );
}

export async function listRegistrations(db: Db, agentId: string): Promise<Registration[]> {
  const rows = await db.query(
    `select agent_id, connection_id, system_webhook_id, events, created_at from registrations
      where agent_id = $1 order by connection_id`,
    [agentId],
  );
  return rows.map(toRegistration);
}

/** Of all agents, by the connection that they were made through. */
export async function listRegistrationsThrough(db: Db, connectionId: string): Promise<Registration[]> {
  const rows = await db.query(
    `select agent_id, connection_id, system_webhook_id, events, created_at from registrations
      where connection_id = $1 order by agent_id`,
    [connectionId],
  );
  return rows.map(toRegistration);
}

export async function deleteRegistration(db: Db, agentId: string, connectionId: string): Promise<void> {
  await db.query("delete from registrations where agent_id = $1 and connection_id = $2", [agentId, connectionId]);
}

export async function deleteRegistrations(db: Db, agentId: string): Promise<void> {
  await db.query("delete from registrations where agent_id = $1", [agentId]);
}
