import type { ChangingScope } from "../access/changing-scope.ts";
import { projectOf } from "../access/scope.ts";
import { requireNotRemoved } from "../vault/connections.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { ReconnectedMeanwhile, type Revoked, type Vault } from "../vault/vault.ts";
import { findAgent } from "./agents.ts";
import { listRegistrationsThrough, removeRegistration } from "./events/registrations.ts";
import { type UnregisterPorts, unregisterAll } from "./events/system-webhooks.ts";

export interface RemovalPorts extends UnregisterPorts {
  vault: Pick<Vault, "find" | "revoke" | "remove">;
  keys: DataKeys;
}

export interface RemovalWish {
  id: string;
  /** Also revokes a grant that was pasted, or one that other connections share. */
  pasted: boolean;
  shared: boolean;
}

export interface Removed {
  id: string;
  revoked: Revoked;
  /** Webhooks that could not be removed at the platform. */
  left: string[];
}

const triesMax = 3;

/**
 * Removes a connection: its webhooks at the platform, its grant, then itself. A user may reconnect the account during the
 * revocation. The new grant is revoked as well, or it would stay valid there.
 */
export async function removeConnection(
  scope: ChangingScope,
  wish: RemovalWish,
  ports: RemovalPorts,
  triesLeft = triesMax,
): Promise<Removed> {
  const { vault, keys } = ports;
  const connection = await requireNotRemoved(vault, projectOf(scope), wish.id);
  const webhooks = await listRegistrationsThrough(scope.db, connection.id);
  // Before the grant ends, since its token removes them.
  const left = await unregisterAll(scope, webhooks, ports);
  const outcome = await vault.revoke(connection, { pasted: wish.pasted, shared: wish.shared });
  const { revoked, ended } = outcome;
  const removed: Removed = { id: connection.id, revoked, left };
  try {
    await scope.change(async (inside) => {
      await vault.remove(inside.db, connection, outcome);
      for (const { agentId } of webhooks) {
        const agent = await findAgent(inside.db, connection.projectId, agentId);
        if (agent) await removeRegistration(inside.db, agent, connection.id, keys);
      }
      const endedIds = ended.length > 0 ? { also_ended: ended.map(({ id }) => id) } : {};
      const details = { revoked, ...endedIds };
      return { value: removed, target: connection.id, details, reference: JSON.stringify(removed) };
    });
  } catch (error) {
    if (error instanceof ReconnectedMeanwhile && triesLeft > 1) {
      return removeConnection(scope, wish, ports, triesLeft - 1);
    }
    throw error;
  }
  return removed;
}
