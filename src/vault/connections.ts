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
import { presentAddresses, type VaultConfig } from "./endpoint.ts";

export {
  type Connection,
  type ConnectionState,
  type Edited,
  findConnection,
  type Health,
  type Instance,
  listDueForCheck,
  updateEdited,
} from "./connections.store.ts";

const keptMax = 10_000;

/** Connections as they are now, in the config of now. */
export function createReader(db: Db, config: VaultConfig) {
  /** What a row said at its revision: reading it again costs more than asking whether it has changed. */
  const kept = new Map<string, Connection>();

  const present = (connection: Connection): Connection => ({
    ...connection,
    addresses: presentAddresses(connection, config),
  });

  return {
    /** Null for what is in another project: it looks absent. */
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

export type ConnectionReader = ReturnType<typeof createReader>;

/** Looks inside a transaction, behind the organization's other writers. */
export async function requireConnectionIn(db: Db, projectId: string, id: string): Promise<Connection> {
  const connection = await findConnection(db, projectId, id);
  if (!connection) throw new Problem("connection_not_found");
  return connection;
}
