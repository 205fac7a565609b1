import { createLimits, type Limits } from "../../src/limits/limits.ts";
import type { Store } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import type { Demand } from "../../src/systems/define.ts";
import { inRounds } from "../rounds/rounds.ts";
import { type Line, lineOf } from "../rounds/table.ts";
import { startDurablePostgres } from "../targets/durable-postgres.ts";

const callers = 16;
/** Less than an organization may have. */
const waiting = 1_000;
const plan = { rounds: 3, seconds: 2 };

/** What all nodes of a PostgreSQL share: the limiter's row of one account, and the lock of all notifications. */
export async function compareHotRows(left: string[]): Promise<Line[]> {
  const postgres = await startDurablePostgres();
  if (typeof postgres === "string") {
    left.push(`the limiter's row of one account beside many, and notifications: ${postgres}.`);
    return [];
  }
  const stores = Array.from({ length: 4 }, () => openPostgres(postgres.url, callers));
  const [first] = stores as [Store];
  try {
    await migrate(first, new Date());
    return [...(await compareAccounts(stores)), await compareWaiting(first), await compareNotifications(first)];
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await postgres.stop();
  }
}

/** Sixteen callers on four nodes: all at one account, beside each at an account of its own. */
async function compareAccounts(stores: readonly Store[]): Promise<Line[]> {
  const nodes = stores.map((store) => createLimits({ store }));
  const accounts = Array.from({ length: callers }, (_, index) => `account-${index}`);
  const [one = ""] = accounts;
  const nodeOf = (index: number) => nodes[index % nodes.length] as (typeof nodes)[number];
  const ways = [accounts.map(() => one), accounts].map(
    (chosen) => () => rateOf(chosen, (account, index) => admitAt(nodeOf(index), plentyAt(account), index)),
  );
  for (const warmUp of ways) await warmUp();
  const [hot = [], many = []] = await inRounds(plan.rounds, ways);
  await Promise.all(nodes.map((node) => node.close()));
  return [lineOf("admissions to one account, four nodes", "/s", hot, { name: `to ${callers}`, figures: many }, null)];
}

/** An account that works on one call at a time: with many callers, so that the others wait, beside two. */
async function compareWaiting(store: Store): Promise<Line> {
  const limits = createLimits({ store });
  const ways = [waiting, 2].map((count) => {
    const entries = Array.from({ length: count }, (_, index) => index);
    return () => rateOf(entries, (index) => admitAt(limits, oneAtATime, index));
  });
  for (const warmUp of ways) await warmUp();
  const [crowded = [], few = []] = await inRounds(plan.rounds, ways);
  await limits.close();
  const what = `admissions to one account while ${waiting} calls wait`;
  return lineOf(what, "/s", crowded, { name: "while one waits", figures: few }, null);
}

/** Sixteen connections that commit, each with a notification, beside the same without. */
async function compareNotifications(store: Store): Promise<Line> {
  const writers = Array.from({ length: callers }, (_, index) => `key-${index}`);
  const put =
    "insert into limit_states (subject, state, low) values ($1, '', 0) on conflict (subject) do update set low = 0";
  const ways = [true, false].map(
    (notifies) => () =>
      rateOf(writers, (subject) =>
        store.transaction(async (db) => {
          await db.query(put, [subject]);
          if (notifies) await db.query("select pg_notify('signalbox_bench', $1)", [subject]);
        }),
      ),
  );
  for (const warmUp of ways) await warmUp();
  const [loud = [], silent = []] = await inRounds(plan.rounds, ways);
  return lineOf("commits with a notification", "/s", loud, { name: "without", figures: silent }, null);
}

/** No system has as much: what is measured is the limiter, not a limit. */
const plentyAt = (account: string): Demand => ({
  subject: `bench|${account}`,
  name: "burst",
  kind: "window",
  max: 1e9,
  windowSeconds: 20,
  amount: 1,
});

const oneAtATime: Demand = { subject: "bench|queue", name: "concurrent", kind: "concurrent", max: 1, amount: 1 };

async function admitAt(limits: Limits, demand: Demand, index: number): Promise<void> {
  const caller = { organizationId: "org_us_bench", projectId: "prj_us_bench", connectionId: "con_us_bench" };
  const waitUntil = new Date(Date.now() + 60_000);
  const permit = await limits.admit([demand], { ...caller, id: `key_${index}`, runId: `run_${index}` }, waitUntil);
  await permit.settle([], "arrived");
}

/** One caller for each entry, again and again. Returns how often in a second. */
async function rateOf<T>(entries: readonly T[], work: (entry: T, index: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  let done = 0;
  const call = async (entry: T, index: number) => {
    for (; performance.now() - start < plan.seconds * 1000; done++) await work(entry, index);
  };
  await Promise.all(entries.map(call));
  return done / ((performance.now() - start) / 1000);
}
