import { expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import {
  ask,
  burst,
  callerOf,
  concurrent,
  daily,
  failureOf,
  node,
  open,
  rowOf,
  use,
  viewerOf,
  waitUntil,
} from "../../../test/support/systems/limit-calls.ts";
import type { LimitsOptions } from "../limits.ts";

describeOnBothStores("waiting for a slot under a limit", (kind) => {
  test("a call waits until the oldest slot of the window is free, and no longer", async () => {
    const world = await open(kind);
    const limits = node(world);
    await use(world, limits, [burst(2)], 1);
    await world.advance(5000);
    await use(world, limits, [burst(2)], 1);
    const asked = await ask(world, limits, [burst(2)], 30);
    await world.advance(14_900);
    expect(asked.permit).toBeUndefined();
    await world.advance(300);
    expect(asked.permit?.waitedMilliseconds).toBeGreaterThanOrEqual(15_000);
    expect(asked.permit?.waitedMilliseconds).toBeLessThan(15_200);
  });

  test("a call that would wait too long is refused at once, with the time to retry, and leaves no trace", async () => {
    const world = await open(kind);
    const limits = node(world);
    await use(world, limits, [burst(2)], 2);
    const before = await rowOf(world);
    const failure = failureOf(await ask(world, limits, [burst(2)], 10));
    expect(failure).toMatchObject({ code: "rate_limited", waitSeconds: 21, done: "no" });
    expect(failure.detail).toContain('"burst", 2 in any 20 seconds');
    expect(await rowOf(world)).toBe(before);
  });

  // "Runs wait their turn as long as direct callers do."
  test("a run that was refused gets a slot when it retries, though others wait all the time", async () => {
    const world = await open(kind);
    const [limits, other] = [node(world), node(world)];
    const demands = [burst(2)];
    await use(world, limits, demands, 2);
    const run = { ...callerOf("r"), runId: "run_us_r" };
    const asRun = () => limits.admit(demands, run, waitUntil(world, 1), { willRetry: true });
    const failure = failureOf({ failed: await asRun().catch((error: unknown) => error) });
    expect(failure.code).toBe("rate_limited");
    // Direct callers, here and on another node, may wait for a long time, and all ask again as soon as they are served.
    let isOver = false;
    let served = 0;
    const loop = async (at: typeof limits, id: string): Promise<void> => {
      while (!isOver) {
        const permit = await at.admit(demands, callerOf(id), waitUntil(world, 3600));
        served++;
        await permit.settle([], "arrived");
      }
    };
    const loops = [limits, other, limits, other].map((at, index) => loop(at, `d${index}`).catch(() => {}));
    await world.advance((failure.waitSeconds ?? 0) * 1000);
    const back = asRun();
    await world.advance(1000);
    await (await back).settle([], "arrived");
    // The others are served in the meantime, and have the whole limit afterwards.
    expect(served).toBe(1);
    await world.advance(25_000);
    expect(served).toBeGreaterThanOrEqual(3);
    isOver = true;
    await Promise.all([limits.close(), other.close()]);
    await Promise.all(loops);
  });

  test("a call too far back in the queue is refused at once, not when its time is over", async () => {
    const world = await open(kind);
    const limits = node(world);
    await use(world, limits, [burst(2)], 2);
    const asked = await Promise.all([1, 2, 3].map((each) => ask(world, limits, [burst(2)], 30, callerOf(`${each}`))));
    expect(asked.map(({ failed }) => failed === undefined)).toEqual([true, true, false]);
    expect(failureOf(asked[2] ?? {}).waitSeconds).toBeGreaterThan(40);
  });

  test("a wait that ends without a slot leaves no trace", async () => {
    const world = await open(kind);
    const limits = node(world);
    const { permit } = await ask(world, limits, [concurrent(1)], 0);
    const asked = await ask(world, limits, [concurrent(1)], 5);
    expect(await rowOf(world)).toContain('"q":[[');
    await world.advance(5000);
    expect(failureOf(asked)).toMatchObject({ code: "rate_limited", waitSeconds: 1 });
    expect(await rowOf(world)).toContain('"q":[]');
    await permit?.settle([], "arrived");
    expect((await limits.states([concurrent(1)], viewerOf()))[0]).toMatchObject({ used: 0, left: 1 });
  });

  test("one caller with 1,000 waiting calls delays another by one round only", async () => {
    const world = await open(kind);
    const limits = node(world);
    const { permit } = await ask(world, limits, [concurrent(1)], 0);
    const order: string[] = [];
    const call = async (id: string) => {
      const held = await limits.admit([concurrent(1)], callerOf(id), waitUntil(world, 3600));
      order.push(id);
      await held.settle([], "arrived");
    };
    for (let each = 0; each < 1000; each++) void call("many");
    await world.settle();
    void call("one");
    await world.settle();
    await permit?.settle([], "arrived");
    await world.settle();
    expect(order.slice(0, 3)).toContain("one");
    expect(order).toHaveLength(1001);
  });

  test("a node with one waiting call is not passed over by a busy one", async () => {
    const world = await open(kind);
    const [busy, other] = [node(world), node(world)];
    let served = 0;
    const callAgain = async (): Promise<void> => {
      const held = await busy.admit([concurrent(1)], callerOf("busy"), waitUntil(world, 3600));
      served++;
      world.clock.after(10, () => void held.settle([], "arrived").then(callAgain));
    };
    for (let each = 0; each < 5; each++) void callAgain();
    await world.advance(1000);
    const asked = await ask(world, other, [concurrent(1)], 60);
    const before = served;
    await world.advance(600);
    expect(asked.permit).toBeDefined();
    expect(before).toBeGreaterThan(50);
  });

  test("a slot that is kept for a dead node goes to others soon", async () => {
    const world = await open(kind);
    const [dead, alive] = [node(world), node(world)];
    const { permit } = await ask(world, alive, [concurrent(1)], 0);
    await ask(world, dead, [concurrent(1)], 3600);
    await dead.close();
    await permit?.settle([], "arrived");
    const asked = await ask(world, alive, [concurrent(1)], 60);
    expect(asked.permit).toBeUndefined();
    await world.advance(11_000);
    expect(asked.permit).toBeDefined();
  });

  // "10,000 a day is used up" was said at 252 calls: it was another's turn.
  test("a call that is refused because of another's turn names that limit, and not a quota with room", async () => {
    const world = await open(kind);
    const reported: string[] = [];
    const onExhausted: LimitsOptions["onExhausted"] = async (_, { name }) => void reported.push(name);
    const [one, other] = [node(world, { onExhausted }), node(world, { onExhausted })];
    const demands = [burst(100), concurrent(1), daily(10_000)];
    const { permit } = await ask(world, one, demands, 0);
    await ask(world, other, demands, 3600);
    await permit?.settle([], "arrived");
    const refused = failureOf(await ask(world, one, demands, 0));
    expect(refused).toMatchObject({ code: "rate_limited", waitSeconds: 1 });
    expect(refused.detail).toContain('The limit "concurrent", 1 at a time,');
    const waiting = await ask(world, one, demands, 3600, callerOf("b"));
    expect(waiting).toEqual({});
    expect(failureOf(await ask(world, one, demands, 0, callerOf("c"))).detail).toContain('"concurrent"');
    expect(reported).toEqual([]);
    await world.advance(1500);
    const states = await one.states(demands, viewerOf());
    expect(states.filter((state) => state.waiting.length > 0).map(({ name }) => name)).toEqual(["concurrent"]);
  });

  test("a waiting call is shown with its run to its own project, on every node, and as a number to others", async () => {
    const world = await open(kind);
    const [one, other] = [node(world), node(world)];
    await ask(world, one, [concurrent(1)], 0);
    const since = new Date(world.now()).toISOString();
    await ask(world, one, [concurrent(1)], 60, callerOf("mine", "prj_1"));
    await ask(world, one, [concurrent(1)], 60, callerOf("theirs", "prj_2"));
    await world.advance(2500);
    const shown = { waiting: [{ caller: "mine", since, run_id: "run_mine" }], waiting_others: 1 };
    for (const limits of [one, other])
      expect((await limits.states([concurrent(1)], viewerOf("prj_1")))[0]).toMatchObject(shown);
    expect(await other.ofProject(viewerOf("prj_1"))).toMatchObject([
      { connectionId: "con_prj_1", name: "concurrent", used: 1, ...shown },
    ]);
    expect(await other.ofProject(viewerOf("prj_3"))).toEqual([]);
    await world.advance(60_000);
    expect((await other.states([concurrent(1)], viewerOf("prj_1")))[0]).toMatchObject({
      waiting: [],
      waiting_others: 0,
    });
  });
});
