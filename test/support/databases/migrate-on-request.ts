import { createInterface } from "node:readline";
import type { Store } from "../../../src/store/db.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { statementsOf } from "../../../src/store/schema/statements.ts";
import { openSqlite } from "../../../src/store/sqlite/sqlite.ts";

/** Kills this process after so many statements of the migrations. */
function dyingAfter(store: Store, statements: number): Store {
  let left = statements;
  const { outside } = store;
  const dieInTurn = () => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
  };
  return {
    ...store,
    ...(outside && {
      outside: (work) =>
        outside((run) =>
          work((statement) => {
            dieInTurn();
            return run(statement);
          }),
        ),
    }),
    exclusively: (work) =>
      store.exclusively((db, runScript) =>
        work(db, async (script) => {
          for (const statement of statementsOf(script)) {
            if (!statement.startsWith("set local ")) dieInTurn();
            await runScript(statement);
          }
        }),
      ),
  };
}

/*
 * A process that migrates each database named on a line of its input, and replies with a line of JSON. With a number in front
 * it is killed after so many statements.
 */
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [address = "", statements] = line.split(" ").reverse();
  const store = address.startsWith("postgres:") ? openPostgres(address, 1) : openSqlite(address);
  const applied = await migrate(statements === undefined ? store : dyingAfter(store, Number(statements)), new Date());
  console.log(JSON.stringify(applied));
  await store.close();
}
