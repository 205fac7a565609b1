import type { Db } from "../../store/db.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { type Agent, changeSecrets, requireAgent } from "../agents.ts";
import { deleteRegistration, listRegistrations, putRegistration, type Registration } from "./registrations.store.ts";

export {
  deleteRegistrations,
  listRegistrations,
  listRegistrationsThrough,
  type Registration,
} from "./registrations.store.ts";

/** The platform's secret is stored beside the agent's own: after the commit, its signatures are accepted. */
export async function saveRegistration(
  db: Db,
  agent: Agent,
  made: Registration & { secret: string },
  keys: DataKeys,
): Promise<void> {
  const { secret, ...registration } = made;
  await putRegistration(db, registration);
  await changeSecrets(db, agent, keys, (secrets) => ({
    ...secrets,
    registered: { ...secrets.registered, [registration.connectionId]: secret },
  }));
}

/**
 * Deletes registrations that a new one has replaced at the platform, made through another connection of the same
 * account.
 */
export async function removeReplaced(
  db: Db,
  { projectId, id }: Agent,
  replaced: readonly string[],
  keys: DataKeys,
): Promise<void> {
  for (const { connectionId, systemWebhookId } of await listRegistrations(db, id)) {
    if (!replaced.includes(systemWebhookId)) continue;
    await removeRegistration(db, await requireAgent(db, projectId, id), connectionId, keys);
  }
}

/** Signatures with its secret are no longer accepted. */
export async function removeRegistration(db: Db, agent: Agent, connectionId: string, keys: DataKeys): Promise<void> {
  await deleteRegistration(db, agent.id, connectionId);
  await changeSecrets(db, agent, keys, ({ registered, ...secrets }) => {
    const { [connectionId]: _, ...others } = registered;
    return { ...secrets, registered: others };
  });
}
