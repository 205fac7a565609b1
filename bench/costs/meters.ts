import { setTimeout as after } from "node:timers/promises";
import type { Store } from "../../src/store/db.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { bytesWritten, cpuNanoseconds, cpuNanosecondsOfAll, parentOf } from "./used.ts";

/** What a server and its database have used so far, or between two looks. */
export interface Used {
  milliseconds: number;
  serverNanoseconds: number;
  /** Of the server on SQLite. */
  bytesWritten: number;
  databaseNanoseconds: number;
  statements: number;
  commits: number;
  walBytes: number;
  storedBytes: number;
}

export interface Meters {
  look(): Promise<Used>;
  close(): Promise<void>;
}

const none = { databaseNanoseconds: 0, statements: 0, commits: 0, walBytes: 0, storedBytes: 0 };

/** `url` is the database of the server, or null on SQLite. */
export async function openMeters(serverPid: number, url: string | null): Promise<Meters> {
  const store = url === null ? null : openPostgres(url, 1);
  await store?.exclusively((_db, runScript) => runScript("create extension if not exists pg_stat_statements"));
  const [backend] = (await store?.query<{ pid: number }>("select pg_backend_pid() as pid")) ?? [];
  const postmaster = backend ? parentOf(backend.pid) : null;
  const ofServer = () => ({
    milliseconds: performance.now(),
    serverNanoseconds: cpuNanoseconds(serverPid),
    bytesWritten: bytesWritten(serverPid),
  });
  return {
    async look() {
      if (store === null || postmaster === null) return { ...ofServer(), ...none };
      return {
        ...ofServer(),
        ...(await countsOf(store)),
        // Last: looking costs the database something, too, and does so once between two looks.
        databaseNanoseconds: cpuNanosecondsOfAll(postmaster),
      };
    },
    close: async () => store?.close(),
  };
}

/** Counted by the database itself. A transaction is counted by its `begin`: the commit travels with another statement, where it is not counted. */
async function countsOf(store: Store): Promise<Omit<typeof none, "databaseNanoseconds">> {
  const [row] = await store.query<Record<string, string>>(
    `select sum(calls) filter (where query !~* '^(begin|commit|rollback|start transaction)')::text as statements,
            sum(calls) filter (where query ~* '^begin')::text as commits,
            (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text as wal,
            pg_database_size(current_database())::text as stored
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
             and query !~ 'pg_stat_statements'`,
  );
  const figure = (name: string) => Number(row?.[name] ?? 0);
  return {
    statements: figure("statements"),
    commits: figure("commits"),
    walBytes: figure("wal"),
    storedBytes: figure("stored"),
  };
}

/** What one of `count` took of what was used until the server was quiet again. `idle` is what a node uses by itself, each millisecond. */
export async function costWhile(work: () => Promise<void>, count: number, meters: Meters, idle: Used): Promise<Used> {
  const before = await meters.look();
  await work();
  await after(1500);
  const used = between(before, await meters.look());
  return each(used, (figure, { milliseconds }, name) => (figure - idle[name] * milliseconds) / count);
}

export const between = (earlier: Used, later: Used): Used => each(later, (figure, _, name) => figure - earlier[name]);

/** Every figure, changed. */
export function each(used: Used, change: (figure: number, all: Used, name: keyof Used) => number): Used {
  const names = Object.keys(used) as (keyof Used)[];
  return Object.fromEntries(names.map((name) => [name, change(used[name], used, name)])) as unknown as Used;
}
