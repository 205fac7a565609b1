import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  ask,
  burst,
  concurrent,
  daily,
  failureOf,
  node,
  open,
  subject,
  use,
  viewerOf,
  waitUntil,
} from "../../test/support/systems/limit-calls.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import type { Demand } from "../systems/define.ts";

describeOnBothStores("the limits of external systems", (kind) => {
  test("a call that was never sent releases everything", async () => {
    const world = await open(kind);
    const limits = node(world);
    const demands = [burst(1), concurrent(1), daily(1)];
    const { permit } = await ask(world, limits, demands, 0);
    await permit?.settle([], "never sent");
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([0, 0, 0]);
    expect((await ask(world, limits, demands, 0)).permit).toBeDefined();
  });

  test("a node that dies holds its slots until its calls' time is over, and then one window longer", async () => {
    const world = await open(kind);
    const dead = node(world, { callSeconds: 60 });
    await ask(world, dead, [burst(2), concurrent(1)], 0);
    const limits = node(world);
    const byConcurrency = await ask(world, limits, [concurrent(1)], 120);
    await world.advance(89_000);
    expect(byConcurrency.permit).toBeUndefined();
    await world.advance(2000);
    expect(byConcurrency.permit).toBeDefined();
    expect((await limits.states([burst(2)], viewerOf()))[0]).toMatchObject({ used: 1 });
    await world.advance(20_000);
    expect((await limits.states([burst(2)], viewerOf()))[0]).toMatchObject({ used: 0 });
  });

  test("a daily quota is used up until midnight of its own time zone", async () => {
    const world = await open(kind, "2030-03-05T18:00:00Z");
    const limits = node(world);
    await use(world, limits, [daily(3)], 3);
    const failure = failureOf(await ask(world, limits, [daily(3)], 30));
    expect(failure).toMatchObject({ code: "quota_exhausted", waitSeconds: 12 * 3600 });
    expect((await limits.states([daily(3)], viewerOf()))[0]).toMatchObject({
      left: 0,
      resets_at: "2030-03-06T06:00:00.000Z",
    });
    await world.advance(12 * 3_600_000);
    expect((await ask(world, limits, [daily(3)], 0)).permit).toBeDefined();
  });

  // "Refuse locally only what the vendor would refuse": "10,000 a day is used up" was said at 252 calls.
  test("a daily quota of which only the system knows the size refuses nothing until the system does", async () => {
    const world = await open(kind, "2030-03-05T18:00:00Z");
    const announced: string[] = [];
    const limits = node(world, { onExhausted: async (_, { name }) => void announced.push(name) });
    const assumed = [{ ...daily(2), isAssumed: true as const }];
    await use(world, limits, assumed, 3);
    expect((await limits.states(assumed, viewerOf()))[0]).toMatchObject({ used: 3, max: null });
    expect(announced).toEqual([]);
    const { permit } = await ask(world, limits, assumed, 0);
    const refused = { subject, name: "daily", remaining: 0, resetsAt: new Date("2030-03-06T06:00:00Z") };
    await permit?.settle([refused], "arrived");
    const failure = failureOf(await ask(world, limits, assumed, 30));
    expect(failure).toMatchObject({ code: "quota_exhausted", waitSeconds: 12 * 3600 });
    expect(failure.detail).not.toMatch(/\d a day/);
  });

  test("tokens are reserved by estimate and settled by what the answer says; the system's own count wins when it is lower", async () => {
    const world = await open(kind);
    const limits = node(world);
    const tokens = daily(100, 60);
    const first = await ask(world, limits, [tokens], 0);
    const second = await ask(world, limits, [tokens], 30);
    expect(second.permit).toBeUndefined();
    await first.permit?.settle([{ subject, name: "daily", remaining: 95, taken: 5 }], "arrived");
    await world.settle();
    expect(second.permit).toBeDefined();
    await second.permit?.settle([{ subject, name: "daily", remaining: 40, taken: 5 }], "arrived");
    expect((await limits.states([tokens], viewerOf()))[0]).toMatchObject({ used: 60, left: 40 });
  });

  test("a call that needs more than the whole quota may have the whole quota", async () => {
    const world = await open(kind);
    const { permit } = await ask(world, node(world), [daily(100, 500)], 0);
    expect(permit).toBeDefined();
  });

  test("after a refusal by the system every node waits until the time it named", async () => {
    const world = await open(kind);
    const [one, other] = [node(world), node(world)];
    const { permit } = await ask(world, one, [burst(100)], 0);
    await permit?.settle([{ subject, name: "burst", remaining: 0, resetsAt: waitUntil(world, 7) }], "arrived");
    expect(failureOf(await ask(world, other, [burst(100)], 3))).toMatchObject({ code: "rate_limited", waitSeconds: 7 });
    const asked = await ask(world, other, [burst(100)], 30);
    await world.advance(6900);
    expect(asked.permit).toBeUndefined();
    await world.advance(200);
    expect(asked.permit).toBeDefined();
  });

  test("a clock that is set forward frees nothing, and one that is set back blocks nothing", async () => {
    const world = await open(kind);
    const limits = node(world);
    await use(world, limits, [burst(1)], 1);
    world.setWall(3_600_000);
    expect(failureOf(await ask(world, limits, [burst(1)], 10)).waitSeconds).toBeGreaterThan(15);
    world.setWall(-7_200_000);
    await world.advance(21_000);
    expect((await ask(world, limits, [burst(1)], 0)).permit).toBeDefined();
  });

  test("a clock that was years ahead, and is right again, blocks no quota until then", async () => {
    const world = await open(kind);
    const limits = node(world);
    const years = 4 * 365 * 86_400_000;
    world.setWall(years);
    await use(world, limits, [daily(1)], 1);
    world.setWall(-years);
    const { code, waitSeconds } = failureOf(await ask(world, node(world), [daily(1)], 0));
    expect(code).toBe("quota_exhausted");
    expect(waitSeconds).toBeLessThanOrEqual(25 * 3600);
  });

  test("usage survives a restart", async () => {
    const world = await open(kind);
    const before = node(world);
    await use(world, before, [burst(2)], 2);
    await before.close();
    expect(failureOf(await ask(world, node(world), [burst(2)], 0)).code).toBe("rate_limited");
  });

  test("a demand on two subjects takes slots of both or of none", async () => {
    const world = await open(kind);
    const limits = node(world);
    const other: Demand = { ...concurrent(1), subject: "marketing|https://two" };
    const held = await ask(world, limits, [other], 0);
    expect(failureOf(await ask(world, limits, [concurrent(1), other], 0)).code).toBe("rate_limited");
    expect((await limits.states([concurrent(1)], viewerOf()))[0]).toMatchObject({ used: 0 });
    await held.permit?.settle([], "arrived");
    const both = await ask(world, limits, [concurrent(1), other], 0);
    expect((await limits.states([concurrent(1), other], viewerOf())).map(({ used }) => used)).toEqual([1, 1]);
    await both.permit?.settle([], "arrived");
    expect((await limits.states([concurrent(1), other], viewerOf())).map(({ used }) => used)).toEqual([0, 0]);
  });

  test("an implausible reset does not block all calls for years", async () => {
    const world = await open(kind);
    const limits = node(world);
    const { permit } = await ask(world, limits, [burst(100)], 0);
    await permit?.settle([{ subject, name: "burst", remaining: 0, resetsAt: new Date("2099-01-01") }], "arrived");
    const { waitSeconds } = failureOf(await ask(world, limits, [burst(100)], 0));
    expect(waitSeconds).toBe(25 * 3600);
  });

  test("while the store is unavailable a call is refused and no settlement is lost: it is written later", async () => {
    const world = await open(kind);
    const lost = new StoreUnavailable("unreachable", new Error("gone"));
    let isLost = false;
    const store: Store = {
      ...world.store,
      transaction: (work) => (isLost ? Promise.reject(lost) : world.store.transaction(work)),
    };
    const limits = node(world, { store });
    const { permit } = await ask(world, limits, [concurrent(1)], 0);
    isLost = true;
    await permit?.settle([], "arrived");
    expect((await ask(world, limits, [concurrent(1)], 30)).failed).toBe(lost);
    isLost = false;
    await world.advance(1100);
    expect((await ask(world, limits, [concurrent(1)], 0)).permit).toBeDefined();
  });

  // "One crash stops the marketing account for 88 s": nor does a failover.
  test("a call whose admission was stored, but not answered, holds no slot", async () => {
    const world = await open(kind);
    const lost = new StoreUnavailable("unreachable", new Error("gone"));
    let isAnswerLost = true;
    const store: Store = {
      ...world.store,
      transaction: async (work) => {
        const value = await world.store.transaction(work);
        if (isAnswerLost) throw lost;
        return value;
      },
    };
    const limits = node(world, { store });
    expect((await ask(world, limits, [concurrent(1), daily(1)], 30)).failed).toBe(lost);
    isAnswerLost = false;
    await world.advance(1100);
    expect((await ask(world, limits, [concurrent(1), daily(1)], 0)).permit).toBeDefined();
  });
});
