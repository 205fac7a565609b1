import type { Db } from "../store/db.ts";
import type { Grant } from "../systems/sign-in.ts";
import type { Connection } from "./connections.ts";
import type { DataKeys, Sealed } from "./sealing/data-keys.ts";

/** What is sealed in a connection's row. */
export interface ConnectionSecrets {
  grant: Grant;
  token: string;
}

type SealedConnection = Pick<Connection, "id" | "organizationId">;

const sealContextOf = ({ id, organizationId }: SealedConnection) =>
  ({ table: "connections", row: id, organizationId }) as const;

/** Call it inside the transaction that stores the text. */
export const sealSecrets = (
  db: Db,
  keys: DataKeys,
  connection: SealedConnection,
  secrets: ConnectionSecrets,
): Promise<Sealed> => keys.seal(db, JSON.stringify(secrets), sealContextOf(connection));

export const openSecrets = async (
  db: Db,
  keys: DataKeys,
  connection: SealedConnection,
  sealed: string,
): Promise<ConnectionSecrets> =>
  JSON.parse(await keys.open(db, sealed, sealContextOf(connection))) as ConnectionSecrets;
