import { describe, expect, inject, test } from "vitest";
import { startApp } from "../../../../test/support/app.ts";
import { cleanUpLater, newStore } from "../../../../test/support/stores.ts";
import { startTeam } from "../../../../test/support/team.ts";
import type { Attempt, AttemptSource } from "../../../identity/passwords/attempt-limiter.ts";
import { createLog } from "../../../kernel/log.ts";
import type { Store } from "../../../store/db.ts";
import { defaultPolicies } from "../default-quotas.ts";
import { createRateLimits, type RateLimits } from "../rate-limiter.ts";
import { deleteEnded } from "./shared-counts.store.ts";
import { shareLimits } from "./shared-counts.ts";

const quotas = {
  ...defaultPolicies,
  default: { quota: 400, windowSeconds: 600 },
  auth_failure: { quota: 10, windowSeconds: 600 },
};

/** Nodes of their own on one database. */
async function startNodes(count: number): Promise<{ store: Store; nodes: RateLimits[] }> {
  const store = await newStore("postgres");
  const log = createLog("silent", { write: () => {} });
  const nodes = Array.from({ length: count }, () => createRateLimits(quotas, undefined, shareLimits(store, log)));
  for (const node of nodes) cleanUpLater(() => node.stop());
  return { store, nodes };
}

const isAdmitted = async (work: () => unknown): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
};
const countOf = (results: readonly boolean[]): number => results.filter(Boolean).length;

describe.skipIf(inject("postgresUrl") === null)("nodes on one PostgreSQL", () => {
  test("admit a quota together, within 5 %, to a caller that uses all of them at full speed", async () => {
    const { nodes } = await startNodes(3);
    const sent: Promise<boolean>[] = [];
    for (let call = 0; call < 1_500; call++) {
      sent.push(isAdmitted(() => nodes[call % 3]?.admit(["default"], "key 1")));
      if (call % 50 === 0) await Promise.all(sent);
    }
    const admitted = countOf(await Promise.all(sent));
    expect(admitted).toBeLessThanOrEqual(420);
    expect(admitted).toBeGreaterThanOrEqual(380);
  });

  test("count wrong keys exactly, and a refund makes room for exactly one", async () => {
    const { nodes } = await startNodes(3);
    const fail = (call: number) => isAdmitted(() => nodes[call % 3]?.admit(["auth_failure"], "198.51.100.7"));
    expect(countOf(await Promise.all(Array.from({ length: 60 }, (_, call) => fail(call))))).toBe(10);
    expect(await isAdmitted(() => nodes[0]?.admit(["auth_failure"], "198.51.100.8"))).toBe(true);
    nodes[0]?.refund("auth_failure", "198.51.100.7");
    const again = [await fail(0), await fail(3)];
    expect(again).toEqual([true, false]);
  });

  test("give a source its attempts once, not once for each node, and forget them after a sign-in", async () => {
    const { nodes } = await startNodes(3);
    const source: AttemptSource = { kind: "stranger", address: "198.51.100.9" };
    const begin = (call: number) => nodes[call % 3]?.signInAttempts?.begin("ada@example.com", source);
    const isAttempt = (begun: Attempt | number | undefined): begun is Attempt => typeof begun === "object";
    const begun = await Promise.all(Array.from({ length: 12 }, (_, call) => begin(call)));
    expect(begun.filter(isAttempt)).toHaveLength(5);
    expect(begun.filter((each) => !isAttempt(each))).toEqual(Array(7).fill(1));
    await begun.find(isAttempt)?.succeeded();
    expect(isAttempt(await begin(1))).toBe(true);
  });

  test("keep no address and no account in the rows, and delete rows that have ended", async () => {
    const { store, nodes } = await startNodes(1);
    await nodes[0]?.admit(["auth_failure"], "198.51.100.10");
    await nodes[0]?.signInAttempts?.begin("ada@example.com", { kind: "stranger", address: "198.51.100.10" });
    const rows = [
      ...(await store.query("select * from call_counts")),
      ...(await store.query("select * from sign_in_attempts")),
    ];
    expect(rows.length).toBeGreaterThan(4);
    expect(JSON.stringify(rows)).not.toMatch(/198\.51|ada@/);
    await store.transaction((db) => db.query("update call_counts set ends_at = 1 where policy = 'auth_failure'"));
    await store.transaction((db) => deleteEnded(db, 100));
    expect(await store.query("select 1 from call_counts where policy = 'auth_failure'")).toEqual([]);
  });

  // "After it was set back, what the wrong clock wrote does not last for years."
  test("refuse nobody for as long as the clock of the database was ahead", async () => {
    const { store, nodes } = await startNodes(2);
    const source: AttemptSource = { kind: "stranger", address: "198.51.100.11" };
    const begin = (node: number) => nodes[node]?.signInAttempts?.begin("ada@example.com", source);
    const fail = (node: number) => isAdmitted(() => nodes[node]?.admit(["auth_failure"], "198.51.100.11"));
    expect(typeof (await begin(0))).toBe("object");
    for (let call = 0; call < 11; call++) await fail(0);
    const ahead = 300 * 86_400_000;
    await store.transaction(async (db) => {
      await db.query("update call_counts set ends_at = ends_at + $1", [ahead]);
      await db.query("update sign_in_attempts set at = at + $1, until = until + $1", [ahead]);
    });
    expect(typeof (await begin(1))).toBe("object");
    expect(await fail(1)).toBe(true);
    const [row] = await store.query<{ used: number; left: number }>(
      `select used, ends_at - (extract(epoch from clock_timestamp()) * 1000)::bigint as left
         from call_counts where policy = 'auth_failure'`,
    );
    expect(row?.used).toBe(1);
    expect(row?.left).toBeLessThanOrEqual(600_000);
  });

  // Time servers move clocks by little, all the time.
  test("give nobody a second quota because a clock is set back by less than a window", async () => {
    const { store, nodes } = await startNodes(2);
    const fail = (node: number) => isAdmitted(() => nodes[node]?.admit(["auth_failure"], "198.51.100.12"));
    for (let call = 0; call < 11; call++) await fail(0);
    await store.transaction((db) => db.query("update call_counts set ends_at = ends_at + 500000"));
    expect(await fail(1)).toBe(false);
  });

  test("refuse a key at every node once it has used its quota at one of them", async () => {
    const rateLimits = { ...quotas, default: { quota: 6, windowSeconds: 600 } };
    const team = await startTeam("postgres", { rateLimits, sharesLimits: true });
    const other = await startApp("postgres", { rateLimits, sharesLimits: true, store: team.store });
    const statuses: number[] = [];
    for (let call = 0; call < 10; call++) {
      const { status } = await (call % 2 ? other : team).call("auth/info", {}, { as: team.owner });
      statuses.push(status);
    }
    // Creating the project was the first of the six. Which node has the last of them depends on what each took in advance.
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
    expect(statuses.slice(6)).toEqual([429, 429, 429, 429]);
  });
});
