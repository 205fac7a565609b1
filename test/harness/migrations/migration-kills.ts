import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Store } from "../../../src/store/db.ts";
import { knownMigrations, migrate } from "../../../src/store/migrate.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { oldestBeside } from "../../../src/store/previous-version.ts";
import { dialectOf, statementsOf } from "../../../src/store/schema/statements.ts";
import { openSqlite } from "../../../src/store/sqlite/sqlite.ts";
import { seededRandom } from "../../kill-loop/random.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { fillPrevious, rowsOf, schemaOf } from "./previous-store.ts";

/**
 * A program that upgrades a store is killed after any statement of its migrations. Every row is as before, and the next start
 * completes the upgrade: the same schema as without the kill, and every row. Half of the cycles upgrade the store of the previous
 * version, and half an empty one.
 */
export const migrationKills: Harness = {
  id: "H13",
  name: "migration-kills",
  title: "killed after any statement of a migration: the next start completes it, and nothing is lost",
  stores: ["sqlite", "postgres"],
  fullCycles: 100,
  shortCycles: 1,
  shortTest: "test/harness/migrations/migration-kills.test.ts",
  run,
};

/** Which store is upgraded. */
type From = "previous" | "fresh";

const program = fileURLToPath(new URL("../../support/databases/migrate-on-request.ts", import.meta.url));
const previous = knownMigrations().filter(({ number }) => number <= oldestBeside);
/** The tables of the migrations themselves. */
const ownStatements = 2;

async function run({ seed, cycles, store: kind, folder, log, newDatabase }: HarnessOptions): Promise<Findings> {
  const random = seededRandom(seed);
  const open = (address: string): Store => (kind === "sqlite" ? openSqlite(address) : openPostgres(address, 2));
  const newAddress = async (name: string) => (kind === "sqlite" ? join(folder, `${name}.sqlite`) : newDatabase());
  const inStore = async <T>(address: string, work: (store: Store) => Promise<T>): Promise<T> => {
    const store = open(address);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const fill = async (address: string, from: From): Promise<string> =>
    from === "fresh" ? "" : inStore(address, (store) => makePrevious(store));
  /** What an upgrade without a kill makes of it. */
  const upgraded = onceFor(async (from) => {
    const address = await newAddress(`whole-${from}`);
    const rows = await fill(address, from);
    return inStore(address, async (store) => {
      await migrate(store, new Date());
      return { rows, schema: await schemaOf(store) };
    });
  });

  const broken: string[] = [];
  const recoverySeconds: number[] = [];
  let [done, lost] = [0, 0];
  for (; done < cycles && broken.length === 0; done++) {
    const from: From = (done + seed) % 2 === 0 ? "previous" : "fresh";
    const { rows, schema } = await upgraded(from);
    const address = await newAddress(`cycle-${done}`);
    await fill(address, from);
    const all = knownMigrations().filter(({ number }) => from === "fresh" || number > oldestBeside);
    const count = ownStatements + all.flatMap(({ sql }) => statementsOf(dialectOf(sql, kind))).length;
    const after = Math.floor(random() * count);
    const what = `A store (${from}) whose migration was killed after statement ${after} of ${count}`;
    if (!(await killedAfter(address, after))) broken.push(`${what} was not killed.`);
    const startedAt = performance.now();
    await inStore(address, async (store) => {
      if (from === "previous" && (await rowsOf(store)) !== rows) lost++;
      await migrate(store, new Date());
      recoverySeconds.push((performance.now() - startedAt) / 1000);
      if ((await schemaOf(store)) !== schema) broken.push(`${what} has another schema.`);
      if (from === "previous" && (await rowsOf(store)) !== rows) broken.push(`${what} has other rows.`);
    });
    if ((done + 1) % 10 === 0) log(`${done + 1} killed`);
  }
  return {
    cycles: done,
    faults: done,
    acknowledged: null,
    lost,
    doubled: null,
    unknown: null,
    recoverySeconds,
    broken,
  };
}

async function makePrevious(store: Store): Promise<string> {
  await migrate(store, new Date(), previous);
  await fillPrevious(store);
  return rowsOf(store);
}

function onceFor<T>(make: (from: From) => Promise<T>): (from: From) => Promise<T> {
  const made = new Map<From, Promise<T>>();
  return (from) => {
    const known = made.get(from) ?? make(from);
    made.set(from, known);
    return known;
  };
}

async function killedAfter(address: string, statements: number): Promise<boolean> {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.on("error", () => {});
  child.stdin.end(`${statements} ${address}\n`);
  const [, signal] = await once(child, "exit");
  return signal === "SIGKILL";
}
