import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import {
  cleanUpLater,
  describeOnBothStores,
  newPostgresDatabase,
  newStore,
  type StoreKind,
  temporaryFolder,
} from "../../test/support/stores.ts";
import type { Store } from "./db.ts";
import { isKnownByAll, knownMigrations, migrate, newerSchema, refuseOlder, SchemaTooNew } from "./migrate.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { oldestBeside } from "./previous-version.ts";
import { openSqlite } from "./sqlite/sqlite.ts";

const emptyDatabase = async (kind: StoreKind): Promise<string> =>
  kind === "sqlite" ? join(temporaryFolder(), "empty.sqlite") : newPostgresDatabase("template0");

function open(address: string): Store {
  const store = address.startsWith("postgres:") ? openPostgres(address) : openSqlite(address);
  cleanUpLater(() => store.close());
  return store;
}

const tablesOf = async (store: Store): Promise<string[]> => {
  const rows = await store.query<{ name: string }>(
    store.kind === "sqlite"
      ? "select name from sqlite_master where type = 'table' order by name"
      : "select table_name as name from information_schema.tables where table_schema = 'public' order by table_name",
  );
  return rows.map((row) => row.name);
};

const appliedIn = async (store: Store): Promise<string[]> =>
  (await store.query<{ name: string }>("select name from schema_migrations order by number")).map((row) => row.name);

const allNames = knownMigrations().map((migration) => migration.name);
const later = { number: 9000, name: "9000_later.sql", sql: "create table from_the_future (id text primary key)" };

describeOnBothStores("migrations", (kind) => {
  test("each is applied once, in order, and a second start applies none", async () => {
    const store = open(await emptyDatabase(kind));
    expect(await migrate(store, new Date())).toEqual(allNames);
    expect(await migrate(store, new Date())).toEqual([]);
    expect(await appliedIn(store)).toEqual(allNames);
  });

  test("new migrations are applied to existing data", async () => {
    const store = await newStore(kind);
    expect(await migrate(store, new Date(), [...knownMigrations(), later])).toEqual([later.name]);
    expect(await tablesOf(store)).toContain("from_the_future");
  });

  test("rows of a rebuilt table stay the same, with the same rules", async () => {
    const store = open(await emptyDatabase(kind));
    const [before, after] = Map.groupBy(knownMigrations(), ({ number }) => number < 19).values();
    await migrate(store, new Date(), before);
    await store.transaction(async (db) => {
      await db.query(
        "insert into organizations (id, name, project_creation, keys_on_reactivation, created_at) values ('org', 'O', 'admins', 'keep', '2026')",
      );
      await db.query(
        `insert into projects (id, organization_id, name, description, created_by, created_at, updated_at)
         values ('prj', 'org', 'P', '', 'usr', '2026', '2026')`,
      );
      for (const name of ["b", "a", "c"]) {
        await db.query(
          `insert into invites (code, project_id, email, email_key, actions, role, status, invited_by, created_at,
                                expires_at, sent_at, sent_count)
           values ($1, 'prj', $1, $1, 'admin', 'admin', 'pending', 'usr', '2026', '2026', '2026', 1)`,
          [name],
        );
      }
      for (const seq of [1, 2]) {
        await db.query(
          `insert into audit_log (organization_id, seq, at, action, actor_kind, details, prev_hash, hash)
           values ('org', $1, '2026', 'it.happened', 'system', '{}', '', '')`,
          [seq],
        );
      }
      await db.query("insert into run_outputs (run_id, output) values ('run', $1)", [`"${"é".repeat(2000)}"`]);
    });
    const everything = async () => [
      await store.query("select * from invites order by code"),
      await store.query("select * from audit_log order by seq"),
    ];
    const was = await everything();
    await migrate(store, new Date(), [...(before ?? []), ...(after ?? [])]);
    expect(await everything()).toEqual(was);
    const [large] = await store.query<{ position: number; preview: string }>("select * from large_outputs");
    expect([large?.position, large?.preview.length]).toEqual([-1, 1000]);
    const refused = [
      "insert into invites select * from invites",
      "update audit_log set action = 'it.did.not'",
      "delete from audit_log",
      "update invites set project_id = 'nowhere'",
      "update invites set email_key = 'a'",
    ];
    for (const sql of refused) await expect(store.transaction((db) => db.query(sql))).rejects.toThrow();
    expect(await everything()).toEqual(was);
    // Audit rows from before retention may go behind an anchor, and no others.
    const run = (sql: string) => store.transaction((db) => db.query(sql));
    await run(`insert into audit_anchors (id, organization_id, seq, hash, archive_id, sealed, data_key_id, created_at)
               values ('anc', 'org', 1, '', 'arc', '', 'dek', '2026')`);
    await expect(run("delete from audit_log where seq = 2")).rejects.toThrow("append-only");
    await run("delete from audit_log where seq = 1");
    expect(await store.query("select seq from audit_log")).toEqual([{ seq: 2 }]);
    expect(await store.query("select * from retention_policies")).toEqual([]);
  });

  test("people and groups of a directory keep everything, and may share an external id from then on", async () => {
    const store = open(await emptyDatabase(kind));
    const [before, after] = Map.groupBy(knownMigrations(), ({ number }) => number < 22).values();
    await migrate(store, new Date(), before);
    const person = (id: string, name: string, externalId: string) => [
      `insert into users (id, organization_id, email, email_key, organization_role, active, created_at)
       values ('${id}', 'org', '', '${id}', 'member', 1, '2026')`,
      `insert into directory_people (user_id, directory_id, user_name, user_name_key, external_id, display, resource,
                                     created_at, updated_at)
       values ('${id}', 'dir', '${name}', '${name}', '${externalId}', '', '{}', '2026', '2026')`,
    ];
    const run = (...all: string[]) =>
      store.transaction(async (db) => {
        for (const sql of all) await db.query(sql);
      });
    await run(
      `insert into organizations (id, name, project_creation, keys_on_reactivation, created_at)
       values ('org', 'O', 'admins', 'keep', '2026')`,
      "insert into directories (id, organization_id, label, created_at) values ('dir', 'org', '', '2026')",
      ...person("a", "ada", "E1"),
      `insert into directory_groups (id, directory_id, display_name, display_name_key, external_id, created_at, updated_at)
       values ('g', 'dir', 'G', 'g', 'E1', '2026', '2026')`,
    );
    await expect(run(...person("b", "bob", "E1"))).rejects.toThrow();
    await migrate(store, new Date(), [...(before ?? []), ...(after ?? [])]);
    await run(...person("b", "bob", "E1"));
    await expect(run(...person("c", "ada", "E2"))).rejects.toThrow();
    const kept = "select user_id, external_id, revision from directory_people order by user_id";
    expect(await store.query(kept)).toEqual([
      { user_id: "a", external_id: "E1", revision: 0 },
      { user_id: "b", external_id: "E1", revision: 0 },
    ]);
    expect(await store.query("select id, revision from directory_groups")).toEqual([{ id: "g", revision: 0 }]);
  });

  test("a run that waits in the queue has an entry there afterwards, unless a worker has claimed it before", async () => {
    const store = open(await emptyDatabase(kind));
    const before = knownMigrations().filter(({ number }) => number < 42);
    await migrate(store, new Date(), before);
    await store.transaction(async (db) => {
      for (const [id, status, fence] of [
        ["new", "queued", 0],
        ["again", "queued", 1],
        ["waits", "waiting", 1],
      ] as const)
        await db.query(
          `insert into runs (id, organization_id, project_id, kind, params, started_by, created_at, status, attempts,
             output_bytes, warnings, limits, fence, run_at)
           values ($1, 'org', 'prj', 'tool', '{}', 'usr', '', $2, '[]', 0, '[]', '[]', $3, '2026')`,
          [id, status, fence],
        );
    });
    await migrate(store, new Date());
    expect(await store.query("select run_id, due_at from run_queue")).toEqual([{ run_id: "new", due_at: "2026" }]);
  });

  test("a failing migration rolls back all others of the same start", async () => {
    const store = open(await emptyDatabase(kind));
    const broken = {
      number: 9001,
      name: "9001_broken.sql",
      sql: "create table half (id text); select from nowhere_at_all",
    };
    await expect(migrate(store, new Date(), [...knownMigrations(), later, broken])).rejects.toThrow();
    expect(await tablesOf(store)).toEqual([]);
    expect(await migrate(store, new Date())).toEqual(allNames);
  });

  test("an older program on a newer schema is refused with a sentence, and changes nothing", async () => {
    const store = await newStore(kind);
    await migrate(store, new Date(), [...knownMigrations(), later]);
    await store.transaction((db) => db.query("delete from schema_promises where number = 9000"));
    const before = await tablesOf(store);
    const older = migrate(store, new Date());
    await expect(older).rejects.toBeInstanceOf(SchemaTooNew);
    const known = allNames.length;
    const refusal = (promise = "") =>
      `The database is at schema 9000, and this program knows only up to ${known}.${promise} Start the newer program, or restore a backup.`;
    await expect(older).rejects.toThrow(refusal());
    expect(await newerSchema(store)).toEqual({ detail: refusal(), mayUse: false });
    expect(await tablesOf(store)).toEqual(before);

    // The newer program works beside others, but not beside one as old as this.
    await store.transaction((db) => db.query("insert into schema_promises values (9000, 8000)"));
    await expect(migrate(store, new Date())).rejects.toThrow(refusal(" It may be used by programs that know 8000."));
  });

  // One process alone uses a file: nothing is promised there.
  test.runIf(kind === "postgres")("a program of the previous version goes on, and an older one does not", async () => {
    const store = open(await emptyDatabase(kind));
    const upTo = (number: number) => knownMigrations().filter((migration) => migration.number <= number);
    await migrate(store, new Date(), upTo(oldestBeside));
    await migrate(store, new Date(), [...knownMigrations(), later]);
    expect(await migrate(store, new Date())).toEqual([]);
    expect(await newerSchema(store)).toMatchObject({ mayUse: true, detail: expect.stringContaining("schema 9000") });
    expect(await migrate(store, new Date(), upTo(oldestBeside))).toEqual([]);
    await expect(migrate(store, new Date(), upTo(oldestBeside - 1))).rejects.toThrow(
      `knows only up to ${oldestBeside - 1}. It may be used by programs that know ${oldestBeside}.`,
    );
    await migrate(store, new Date(), [...knownMigrations(), later]);
    expect(await newerSchema(await newStore(kind))).toBeNull();
  });

  test.runIf(kind === "postgres")("once an upgrade has ended, the previous version is refused", async () => {
    const store = open(await emptyDatabase(kind));
    const previous = knownMigrations().filter(({ number }) => number <= oldestBeside);
    const newest = knownMigrations().at(-1)?.number ?? 0;
    await migrate(store, new Date(), previous);
    await migrate(store, new Date());
    expect(await isKnownByAll(store, oldestBeside)).toBe(true);
    expect(await isKnownByAll(store, newest)).toBe(false);
    await refuseOlder(store);
    expect(await isKnownByAll(store, newest)).toBe(true);
    await expect(migrate(store, new Date(), previous)).rejects.toBeInstanceOf(SchemaTooNew);
    expect(await migrate(store, new Date())).toEqual([]);
    // A database that this version has created knows no older one.
    expect(await isKnownByAll(await newStore(kind), newest)).toBe(true);
  });

  test("of processes that start at once on an empty database, one applies the migrations", async () => {
    const processes = await Promise.all([startMigrator(), startMigrator(), startMigrator()]);
    const rounds = kind === "sqlite" ? 20 : 3;
    for (let round = 0; round < rounds; round++) {
      const address = await emptyDatabase(kind);
      const answers = await Promise.all(processes.map((migrator) => migrator.tell(address)));
      expect(answers.sort()).toEqual([JSON.stringify(allNames), "[]", "[]"]);
      expect(await appliedIn(open(address))).toEqual(allNames);
    }
  });
});

test("the numbers of the migration files follow each other without a gap", () => {
  const files = readdirSync(new URL("./migrations/", import.meta.url)).sort();
  expect(allNames).toEqual(files);
  expect(knownMigrations().map((migration) => migration.number)).toEqual(files.map((_, index) => index + 1));
});

interface Migrator {
  /** Sends one line and returns the process's reply; rejects if the process ended. */
  tell(line: string): Promise<string>;
}

async function startMigrator(): Promise<Migrator> {
  const script = new URL("../../test/support/databases/migrate-on-request.ts", import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit").then(([code, signal]) => {
    throw new Error(`The process ended with ${signal ?? code}.`);
  });
  ended.catch(() => {});
  cleanUpLater(async () => {
    child.stdin?.end();
    await ended.catch(() => {});
  });
  if (!child.stdout || !child.stdin) throw new Error("The process has no pipes.");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    return line.done ? ended : line.value;
  };
  await next();
  return {
    async tell(line) {
      child.stdin?.write(`${line}\n`);
      return next();
    },
  };
}
