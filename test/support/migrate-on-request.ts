import { createInterface } from "node:readline";
import { migrate } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";

/**
 * A process that migrates each database named on a line of its input, and replies with a line of JSON. With the word
 * `die` in front it applies the first of two migrations and is killed before the second.
 */
const halfWay = [
  { number: 1, name: "0001_first.sql", sql: "create table first_table (id text primary key)" },
  {
    number: 2,
    name: "0002_second.sql",
    get sql(): string {
      process.kill(process.pid, "SIGKILL");
      return "";
    },
  },
];

console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [address = "", dies] = line.split(" ").reverse();
  const store = address.startsWith("postgres:") ? openPostgres(address, 1) : openSqlite(address);
  const applied = await (dies ? migrate(store, new Date(), halfWay) : migrate(store, new Date()));
  console.log(JSON.stringify(applied));
  await store.close();
}
