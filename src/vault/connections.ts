import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import {
  type Connection,
  findConnection,
  findConnectionById,
  findRevision,
  listAllConnections,
  listConnections,
} from "./connections.store.ts";
import { presentAddresses, type VaultConfig } from "./system-addresses.ts";

export {
  type Connection,
  type ConnectionState,
  type Edited,
  findConnection,
  type Health,
  type Instance,
  listConnected,
  listDueForCheck,
  listSeenConnections,
  listStaying,
  updateEdited,
} from "./connections.store.ts";

const keptMax = 10_000;

/** Reads connections and resolves their addresses with the current configuration. */
export function createConnectionReader(db: Db, config: VaultConfig) {
  /** Parsed connections by id. Comparing the revision is cheaper than reading and parsing the row again. */
  const kept = new Map<string, Connection>();

  const present = (connection: Connection): Connection => ({
    ...connection,
    addresses: presentAddresses(connection, config),
  });

  return {
    /** Null for a connection of another project: it looks absent. */
    async find(projectId: string, id: string): Promise<Connection | null> {
      const known = kept.get(id);
      if (known?.projectId === projectId && (await findRevision(db, projectId, id)) === known.revision) return known;
      const found = await findConnection(db, projectId, id);
      if (!found) return null;
      if (kept.size >= keptMax) kept.clear();
      const connection = present(found);
      kept.set(id, connection);
      return connection;
    },
    async list(projectId: string, page: Parameters<typeof listConnections>[2]): Promise<Connection[]> {
      return (await listConnections(db, projectId, page)).map(present);
    },
    async listAll(page: Parameters<typeof listAllConnections>[1]): Promise<Connection[]> {
      return (await listAllConnections(db, page)).map(present);
    },
    async findAnywhere(id: string): Promise<Connection | null> {
      const found = await findConnectionById(db, id);
      return found ? present(found) : null;
    },
  };
}

export type ConnectionReader = ReturnType<typeof createConnectionReader>;

type Reads = Pick<ConnectionReader, "find">;

export async function requireConnection(vault: Reads, projectId: string, id: string): Promise<Connection> {
  const connection = await vault.find(projectId, id);
  if (!connection) throw new Problem("connection_not_found");
  return connection;
}

export async function requireNotRemoved(vault: Reads, projectId: string, id: string): Promise<Connection> {
  const connection = await requireConnection(vault, projectId, id);
  if (connection.state === "removed") throw new Problem("connection_removed");
  return connection;
}

/** Reads inside a transaction, so the caller sees what the organization's earlier writers have committed. */
export async function requireConnectionIn(db: Db, projectId: string, id: string): Promise<Connection> {
  const connection = await findConnection(db, projectId, id);
  if (!connection) throw new Problem("connection_not_found");
  return connection;
}
