import type { Db } from "../../store/db.ts";
import { type Agent, deleteAgent, lockAgent, requireAgent } from "../agents.ts";
import { deleteRegistrations, listRegistrations, type Registration } from "./registrations.ts";
import { ignoreQueuedEvents } from "./store-event.ts";

/**
 * Deletes the agent with what belongs to it. `known` are the webhooks that the caller has removed at their platforms.
 * Returns those that were registered meanwhile: they stay there.
 */
export async function deleteWholeAgent(
  db: Db,
  { id, projectId }: Agent,
  known: readonly Registration[],
  now: Date,
): Promise<string[]> {
  await requireAgent(db, projectId, id);
  // After this lock no event is stored for the agent.
  await lockAgent(db, id);
  const ids = new Set(known.map(({ systemWebhookId }) => systemWebhookId));
  const since = (await listRegistrations(db, id)).filter(({ systemWebhookId }) => !ids.has(systemWebhookId));
  await deleteRegistrations(db, id);
  await ignoreQueuedEvents(db, id, now);
  await deleteAgent(db, id);
  return since.map(({ systemWebhookId }) => systemWebhookId);
}
