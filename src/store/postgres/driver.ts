import type { Socket } from "node:net";
import postgres from "postgres";
import type { Host } from "./address.ts";
import { openSocket } from "./hosts.ts";

/** What all connections share, and the connection that belongs to no pool. */

export const sessionName = { application_name: "signalbox" };

export const driverOptions = {
  max_lifetime: null,
  connect_timeout: 5,
  // By default the library waits up to 20 s before it tries a lost server again, and every caller with it.
  backoff: () => 0.1,
  // Otherwise it queries array types, which we do not use, in a promise without a catch.
  fetch_types: false,
  onnotice: () => {},
  // Counts and sums arrive as bigint; ours stay far below 2^53.
  types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
};

/** One connection of its own. */
export interface Alone {
  sql: postgres.Sql;
  /** At once: what it was doing is over, or shall be. */
  close(): void;
}

export function openAlone(url: string, host: Host, settings: Record<string, number>): Alone {
  const sockets = new Set<Socket>();
  const options = {
    ...driverOptions,
    max: 1,
    prepare: false,
    connection: { ...sessionName, ...settings },
    socket: async () => openSocket(host, sockets),
  };
  const sql = postgres(url, options);
  return {
    sql,
    close() {
      void sql.end({ timeout: 0 });
      for (const socket of sockets) socket.destroy();
    },
  };
}
