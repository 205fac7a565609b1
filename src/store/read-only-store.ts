import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Db, Store, Value } from "./db.ts";

/** A store that is only read: nothing is created, migrated or written, not even beside the file. */
export type ReadOnlyStore = Pick<Db, "query"> & Pick<Store, "kind" | "close">;

/**
 * Beside a running server, the file's log is there, and is read with it. Without one, the file is complete, and SQLite is opened so
 * that nobody changes it: it would otherwise leave an empty log behind.
 */
export function openReadOnlyFile(file: string): ReadOnlyStore {
  const address = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) address.search = "?immutable=1";
  const database = new DatabaseSync(address, { readOnly: true, timeout: 10_000 });
  return {
    kind: "sqlite",
    async query<R>(sql: string, values: readonly Value[] = []) {
      const numbered = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
      return database.prepare(sql).all(numbered) as R[];
    },
    async close() {
      database.close();
    },
  };
}

/** The time of the database server; null where the store is a file of this machine. */
export async function clockOf(store: ReadOnlyStore): Promise<Date | null> {
  if (store.kind === "sqlite") return null;
  const [row] = await store.query<{ now: string }>(
    "select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as now",
  );
  return new Date(`${row?.now.replace(" ", "T")}Z`);
}

/** How many connections the database server allows; null where the store is a file of this machine. */
export async function connectionsAllowed(store: ReadOnlyStore): Promise<number | null> {
  if (store.kind === "sqlite") return null;
  const [row] = await store.query<{ max: number }>("select current_setting('max_connections')::bigint as max");
  return row?.max ?? null;
}
