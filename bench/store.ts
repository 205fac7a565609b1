import { join } from "node:path";
import type { Db, Store } from "../src/store/db.ts";
import { openSqlite } from "../src/store/sqlite/sqlite.ts";
import type { Plan } from "./rounds/compare.ts";
import { inRounds } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";

const callers = 64;

/**
 * What sharing a commit brings: 64 callers, each with a small durable transaction at a time, on the product's own
 * driver. One by one, the callers stand in a line before it, so that each transaction has a commit to itself.
 */
export async function groupCommit(folder: string, plan: Plan): Promise<Line[]> {
  const store = openSqlite(join(folder, "store.sqlite"));
  await store.exclusively((_db, runScript) =>
    runScript("create table notes (id integer primary key, text text not null)"),
  );
  const measure = (transaction: Store["transaction"], seconds: number) => () => count(transaction, seconds);
  const ways = (seconds: number) => [measure(store.transaction, seconds), measure(oneByOne(store), seconds)];
  for (const warmUp of ways(1)) await warmUp();
  const [grouped = [], single = []] = await inRounds(plan.rounds, ways(plan.seconds), (round) =>
    console.log(`store: round ${round + 1} of ${plan.rounds}`),
  );
  await store.close();
  return [lineOf("durable transactions, 64 callers", "/s", grouped, { name: "one by one", figures: single }, null)];
}

async function count(transaction: Store["transaction"], seconds: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  const caller = async () => {
    while (performance.now() - start < seconds * 1000) {
      await transaction(insertNote);
      done++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return done / ((performance.now() - start) / 1000);
}

const insertNote = async (db: Db): Promise<void> => {
  await db.query("insert into notes (text) values ($1)", [
    "A line that is long enough to be a small record of something.",
  ]);
};

function oneByOne(store: Store): Store["transaction"] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(() => store.transaction(work));
    last = mine.catch(() => {});
    return mine;
  };
}
