import { defaultTimeouts } from "../../../src/store/postgres/pools.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";

/** A node that freezes between a statement and its commit. It says "locked" before, and the outcome when it wakes. */
const [url = "", limit] = process.argv.slice(2);
const store = openPostgres(url, 2, { ...defaultTimeouts, idleInTransaction: Number(limit) });
await store.exclusively(async () => {});

const outcome = await store
  .transaction(async (db) => {
    await db.query("update notes set size = size + 100 where id = 'a'");
    process.stdout.write("locked\n");
    process.kill(process.pid, "SIGSTOP");
  })
  .then(
    () => "committed",
    (error) => error.reason ?? String(error),
  );
const [row] = await store.query<{ size: number }>("select size from notes where id = 'a'");
process.stdout.write(`${outcome}, then ${row?.size}\n`);
await store.close();
