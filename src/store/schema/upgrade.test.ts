import { readFileSync } from "node:fs";
import { describe, expect, inject, test } from "vitest";
import { startPgBouncer } from "../../../test/support/databases/postgres.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import type { Store } from "../db.ts";
import { knownMigrations, migrate, unbuiltIndexes } from "../migrate.ts";
import { openPostgres } from "../postgres/postgres.ts";
import { oldestBeside } from "../previous-version.ts";
import { type Patience, SchemaBusy } from "./patience.ts";

const patience: Patience = {
  lockMilliseconds: 100,
  tries: 10_000,
  pauseMilliseconds: 20,
  pauseMillisecondsMax: 40,
  random: () => 0.5,
};

function open(url: string, connectionsMax?: number): Store {
  const store = openPostgres(url, connectionsMax);
  cleanUpLater(() => store.close());
  return store;
}

const previous = knownMigrations().filter(({ number }) => number <= oldestBeside);
const newer = knownMigrations().filter(({ number }) => number > oldestBeside);
const newerNames = newer.map(({ name }) => name);

/** A database of the previous version. */
async function previousDatabase(): Promise<string> {
  const url = await newPostgresDatabase("template0");
  await migrate(open(url, 1), new Date(), previous);
  return url;
}

/** A transaction that is left open after these statements. */
async function holdOpen(url: string, ...statements: string[]) {
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const over = open(url, 1).transaction(async (db) => {
    for (const statement of statements) await db.query(statement);
    await db.query("set local idle_in_transaction_session_timeout = 0");
    held.resolve();
    await end.promise;
  });
  await Promise.race([held.promise, over]);
  return {
    end(): Promise<void> {
      end.resolve();
      return over;
    },
  };
}

const upgrade = (url: string, parts: Partial<Patience> = {}, report = (_text: string) => {}) =>
  migrate(open(url, 2), new Date(), knownMigrations(), { patience: { ...patience, ...parts }, report });

/** The SQL statements of a page. */
function examplesOf(page: string): string[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.trim().split("\n"));
}

/** Every index as it is, and whether it is valid. */
const indexesOf = (store: Store) =>
  store.query<{ text: string; isValid: boolean }>(
    `select pg_get_indexdef(indexrelid) as text, indisvalid as "isValid" from pg_index i
       join pg_class c on c.oid = i.indexrelid where c.relnamespace = 'public'::regnamespace order by 1`,
  );

const buildersOf = (store: Store) =>
  store.query<{ pid: number }>(
    "select pid from pg_stat_progress_create_index where datname = current_database() and phase like 'waiting%'",
  );

/** As when a node dies: the server ends the transaction that kept other nodes away, and goes on with the build. */
const keeperEnds = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
  and pid in (select pid from pg_stat_activity where datname = current_database() and state like 'idle in%')`;

async function expectWhole(store: Store): Promise<void> {
  const fresh = open(await newPostgresDatabase(), 1);
  // The template has no migration that was applied late.
  expect(await indexesOf(store)).toEqual(await indexesOf(fresh));
  expect(await store.query("select name from schema_indexes")).toEqual([]);
}

// "A rolling upgrade of a big, busy database stalls all nodes": a migration that waits for a lock lets others wait behind it.
describe.skipIf(inject("postgresUrl") === null)("an upgrade of a database that others use", () => {
  test("lets calls through while a long transaction keeps it from a table, and goes on afterwards", async () => {
    const url = await previousDatabase();
    const others = open(url, 2);
    const long = await holdOpen(url, "select count(*) from deliveries");
    const waits: string[] = [];
    const upgraded = upgrade(url, {}, (text) => waits.push(text));
    for (let calls = 0; calls < 30 || waits.length < 3; calls++) {
      expect(await others.query("select count(*) as n from deliveries")).toEqual([{ n: 0 }]);
      await others.transaction((db) => db.query("update deliveries set status = 'due'"));
    }
    await long.end();
    expect(await upgraded).toEqual(newerNames);
    await expectWhole(others);
  });

  test("gives up with a sentence if it never gets its locks, and the next start continues there", async () => {
    const url = await previousDatabase();
    const long = await holdOpen(url, "lock table deliveries in row share mode");
    const failed = await upgrade(url, { tries: 2 }).catch((error) => error);
    expect(failed).toBeInstanceOf(SchemaBusy);
    expect(failed.message).toContain(
      "The migration 0039_delivery_turns.sql did not get its locks in 2 tries. End the transactions that are open for long",
    );
    await long.end();
    const left = newerNames.filter((name) => name >= "0039");
    expect(await upgrade(url)).toEqual(left);
  });

  test("builds an index again that a lost connection has left half built", async () => {
    const url = await previousDatabase();
    const store = open(url, 1);
    // The build waits for older transactions.
    const old = await holdOpen(url, "set transaction isolation level repeatable read", "select count(*) from users");
    const upgraded = upgrade(url).catch((error) => error);
    await expect.poll(() => buildersOf(store), { timeout: 30_000 }).toHaveLength(1);
    await store.query(
      "select pg_terminate_backend(pid) from pg_stat_progress_create_index where datname = current_database()",
    );
    expect(await upgraded).toMatchObject({ reason: "unreachable" });
    expect((await indexesOf(store)).filter(({ isValid }) => !isValid)).toHaveLength(1);
    // What `doctor` names.
    expect(await unbuiltIndexes(store)).toEqual(["idempotent_answers_secrets"]);
    await old.end();
    expect(await upgrade(url)).not.toEqual([]);
    expect(await unbuiltIndexes(store)).toEqual([]);
    await expectWhole(store);
  });

  test("keeps other nodes from building while its own build takes long", async () => {
    const url = await previousDatabase();
    const store = open(url, 2);
    const old = await holdOpen(url, "set transaction isolation level repeatable read", "select count(*) from users");
    const upgraded = upgrade(url);
    await expect.poll(() => buildersOf(store), { timeout: 30_000 }).toHaveLength(1);
    // The server would end a transaction that sends nothing for so long. What it sends is no query, for which the build would wait.
    const pulses = `select state from pg_stat_activity a join pg_locks l using (pid) where l.locktype = 'advisory' and l.granted
                       and a.datname = current_database() and a.query = 'set local lock_timeout = 0'`;
    await expect.poll(() => store.query(pulses), { timeout: 30_000 }).toEqual([{ state: "idle in transaction" }]);
    expect(await store.outside?.(async () => "built")).toBeNull();
    // As the documentation shows a build, and what has been open for long.
    const [shown = "", long = ""] = examplesOf("production.md");
    expect(await store.query(shown)).toMatchObject([
      { relid: expect.anything(), phase: expect.stringMatching(/^waiting/) },
    ]);
    expect(await store.query(long)).toEqual([]);
    // A node of the previous version starts meanwhile, and a server looks after its partitions: neither waits for the build.
    expect(await migrate(store, new Date(), previous)).toEqual([]);
    expect(await store.exclusively(async () => "changed")).toBe("changed");
    await old.end();
    expect(await upgraded).toEqual(newerNames);
    await expectWhole(store);
  });

  test("waits for a build that the server continues after its node was killed", async () => {
    const url = await previousDatabase();
    const store = open(url, 1);
    const old = await holdOpen(url, "set transaction isolation level repeatable read", "select count(*) from users");
    const killed = upgrade(url).catch(() => {});
    await expect.poll(() => buildersOf(store), { timeout: 30_000 }).toHaveLength(1);
    await store.query(keeperEnds);
    await killed;
    const waits: string[] = [];
    const upgraded = upgrade(url, {}, (text) => waits.push(text));
    await expect.poll(() => waits, { timeout: 30_000 }).toContain("another node builds indexes: this one waits");
    await old.end();
    expect(await upgraded).not.toEqual([]);
    await expectWhole(store);
  });

  test("builds an index for which the server still waits after its node was killed, and that exists by then", async () => {
    const url = await previousDatabase();
    const store = open(url, 1);
    // Once both have looked for a deadlock, which each does once, the first one ends when they wait for each other.
    const waiting = () =>
      store.query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                      and query like 'create index concurrently%' and query_start < clock_timestamp() - interval '1.5 seconds'`);
    // As a vacuum does.
    const vacuum = await holdOpen(url, "lock table idempotent_answers in share update exclusive mode");
    const killed = upgrade(url).catch(() => {});
    await expect.poll(waiting, { timeout: 30_000 }).toHaveLength(1);
    await store.query(keeperEnds);
    await killed;
    const upgraded = upgrade(url);
    await expect.poll(waiting, { timeout: 30_000 }).toHaveLength(2);
    await vacuum.end();
    expect(await upgraded).not.toEqual([]);
    await expectWhole(store);
  });

  test("is made once by nodes that start at once", async () => {
    const url = await previousDatabase();
    const applied = await Promise.all([upgrade(url), upgrade(url), upgrade(url)]);
    expect(applied.flat().sort()).toEqual(newerNames);
    await expectWhole(open(url, 1));
  });

  test("works through PgBouncer in transaction mode", async ({ skip }) => {
    const url = await previousDatabase();
    const pooler = await startPgBouncer(url);
    if (typeof pooler === "string") return skip(pooler);
    cleanUpLater(() => pooler.stop());
    expect(await upgrade(pooler.url)).toEqual(newerNames);
    await expectWhole(open(url, 1));
  });

  test("gives a partitioned table its index by way of its partitions, also if one of them is half built", async () => {
    const url = await previousDatabase();
    const store = open(url, 2);
    await store.exclusively((_db, runScript) =>
      runScript(`create table notes (id text, size integer) partition by range (id);
        create table notes_a partition of notes for values from (minvalue) to ('m');
        create table notes_m partition of notes for values from ('m') to (maxvalue);
        insert into notes values ('a', 1), ('z', 2);
        create index notes_m_size on notes_m (size);
        update pg_index set indisvalid = false where indexrelid = 'notes_m_size'::regclass`),
    );
    const sql = "-- Notes; by size.\ncreate index notes_size on notes (size) where id <> '{;x}';\n";
    const late = { number: 9000, name: "9000_late.sql", sql };
    const start = () => migrate(open(url, 2), new Date(), [...knownMigrations(), late], { patience });
    expect(await start()).toEqual([...newerNames, late.name]);
    const made = (await indexesOf(store)).filter(({ text }) => text.includes("notes"));
    const rest = "USING btree (size) WHERE (id <> '{;x}'::text)";
    expect(made).toEqual([
      { text: `CREATE INDEX notes_a_size ON public.notes_a ${rest}`, isValid: true },
      { text: `CREATE INDEX notes_m_size ON public.notes_m ${rest}`, isValid: true },
      { text: `CREATE INDEX notes_size ON ONLY public.notes ${rest}`, isValid: true },
    ]);
    expect(await start()).toEqual([]);
  });

  test("leaves what is whole as it is, and repairs an index that is not valid", async () => {
    const url = await previousDatabase();
    const store = open(url, 2);
    await upgrade(url);
    const files = () =>
      store.query<{ name: string; file: number }>(
        `select relname as name, relfilenode as file from pg_class
          where relnamespace = 'public'::regnamespace and relname like 'deliveries%' order by 1`,
      );
    const before = await files();
    const damage = "update pg_index set indisvalid = false where indexrelid = 'deliveries_status'::regclass";
    await store.exclusively((_db, runScript) => runScript(damage));
    expect(await upgrade(url)).toEqual([]);
    const after = await files();
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    const changed = after.filter(({ file }, at) => file !== before[at]?.file).map(({ name }) => name);
    expect(changed).toEqual(["deliveries_status"]);
    await expectWhole(store);
  });
});
