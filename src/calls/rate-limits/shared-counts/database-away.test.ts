import { describe, expect, inject, test } from "vitest";
import { cleanUpLater, newStore } from "../../../../test/support/stores.ts";
import { createSharedAttempts } from "../../../identity/passwords/shared-attempts.ts";
import { createLog } from "../../../kernel/log.ts";
import { Problem } from "../../../kernel/problem.ts";
import { type Store, StoreUnavailable } from "../../../store/db.ts";
import { defaultPolicies } from "../default-quotas.ts";
import { createRateLimits, type RateLimits } from "../rate-limiter.ts";
import { createSharedCounts } from "./shared-counts.ts";

const address = "198.51.100.7";
const patience = 2_000;

/** Timers run when the test says so. */
function createTimers() {
  const timers = new Set<{ milliseconds: number; work: () => void }>();
  const after = (milliseconds: number, work: () => void) => {
    const timer = { milliseconds, work };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    // It stands still, so a timer is known by its length.
    clock: { now: () => 0, after },
    elapse(milliseconds: number): void {
      for (const timer of [...timers]) {
        if (timer.milliseconds !== milliseconds) continue;
        timers.delete(timer);
        timer.work();
      }
    },
  };
}

async function startNode(quota: number) {
  const store = await newStore("postgres");
  const logged: string[] = [];
  const log = createLog("info", { write: (line) => void logged.push(line) });
  const { clock, elapse } = createTimers();
  const settings = { ...defaultPolicies, auth_failure: { quota, windowSeconds: 600 } };
  const counts = createSharedCounts(store, log, clock);
  const node = createRateLimits(settings, undefined, {
    counts,
    signInAttempts: (rate) => createSharedAttempts(store, rate),
  });
  cleanUpLater(() => node.stop());
  await expect.poll(() => usedOf(store, "process")).toEqual([0]);
  return { store, node, elapse, said: (words: string) => logged.some((line) => line.includes(words)) };
}

const usedOf = async (store: Store, policy: string) =>
  (await store.query<{ used: number }>("select used from call_counts where policy = $1", [policy])).map(
    ({ used }) => used,
  );

const outcomeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return "counted";
  } catch (error) {
    if (error instanceof Problem) return error.code;
    if (error instanceof StoreUnavailable) return error.reason;
    throw error;
  }
};

/** Nothing can be counted until the work is over. */
const whileLocked = (store: Store, work: (waiting: () => Promise<void>) => Promise<void>) =>
  store.transaction(async (db) => {
    await db.query("lock table call_counts in access exclusive mode");
    await work(() =>
      expect.poll(() => store.query("select count(*) as n from pg_locks where not granted")).toEqual([{ n: 1 }]),
    );
  });

// "If the database does not respond, each node counts for itself after at most 2 seconds."
describe.skipIf(inject("postgresUrl") === null)("while the database does not count", () => {
  const fail = (node: RateLimits) => outcomeOf(() => node.admit(["auth_failure"], address));

  test("a node counts wrong keys for itself: none goes uncounted, and the quota holds", async () => {
    const { store, node, elapse, said } = await startNode(3);
    await whileLocked(store, async (waiting) => {
      const first = fail(node);
      await waiting();
      elapse(patience);
      const others = [await first, await fail(node), await fail(node), await fail(node)];
      expect(others).toEqual(["counted", "counted", "counted", "rate_limited"]);
      expect(said("this process counts rate limits for itself")).toBe(true);
      // Its password or code could not be checked either.
      expect(await outcomeOf(() => node.admit(["sign_in_failure"], "password:ada"))).toBe("unreachable");
    });
  });

  test("calls do not wait behind one that waits, and the database hears of them when it is back, once each", async () => {
    const { store, node, elapse, said } = await startNode(10);
    await whileLocked(store, async (waiting) => {
      const first = fail(node);
      await waiting();
      const second = fail(node);
      elapse(patience);
      expect([await first, await second, await fail(node)]).toEqual(["counted", "counted", "counted"]);
      expect(await outcomeOf(() => node.admit(["auth_failure"], "198.51.100.8"))).toBe("counted");
    });
    await expect.poll(() => said("shares rate limits")).toBe(true);
    // The first was sent and is counted by now. The fourth brings the two that were not sent.
    expect(await usedOf(store, "auth_failure")).toEqual([1]);
    expect(await fail(node)).toBe("counted");
    expect(await usedOf(store, "auth_failure")).toEqual([4]);
  });

  test("a node asks every second whether a database that refuses is back", async () => {
    const { store, node, elapse, said } = await startNode(10);
    await store.transaction((db) => db.query("alter table call_counts rename to elsewhere"));
    cleanUpLater(() => store.transaction((db) => db.query("alter table if exists elsewhere rename to call_counts")));
    expect(await fail(node)).toBe("counted");
    elapse(1_000);
    expect(await fail(node)).toBe("counted");
    await store.transaction((db) => db.query("alter table elsewhere rename to call_counts"));
    const isBack = () => {
      elapse(1_000);
      return said("shares rate limits");
    };
    await expect.poll(isBack).toBe(true);
    expect(await fail(node)).toBe("counted");
    // The one that was sent failed, or was counted without an answer: it is not sent again.
    expect(await usedOf(store, "auth_failure")).toEqual([2]);
  });
});
