import { expect, test } from "vitest";
import { createLimitWorld, type LimitWorld } from "../../test/support/limit-world.ts";
import { describeOnBothStores, newStore } from "../../test/support/stores.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import { type Demand, StepFailed } from "../systems/define.ts";
import { createLimits, type Limits, type LimitsOptions, type Permit } from "./limits.ts";

const subject = "marketing|https://one";
const burst = (max: number): Demand => ({ subject, name: "burst", kind: "window", max, amount: 1, windowSeconds: 20 });
const concurrent = (max: number): Demand => ({ subject, name: "concurrent", kind: "concurrent", max, amount: 1 });
const daily = (max: number, amount = 1): Demand => ({
  subject,
  name: "daily",
  kind: "calendar",
  max,
  amount,
  resets: { daily: "America/Chicago" },
});
const callerOf = (id: string, projectId = "prj_1") => ({
  id,
  projectId,
  connectionId: `con_${projectId}`,
  runId: `run_${id}`,
});

describeOnBothStores("the limits of external systems", (kind) => {
  const open = async (start?: string) =>
    createLimitWorld(await newStore(kind), start === undefined ? undefined : Date.parse(start));
  const node = (world: LimitWorld, more: Partial<LimitsOptions> = {}): Limits =>
    createLimits({ store: world.store, clock: world.clock, time: "own", ...more });
  const waitUntil = (world: LimitWorld, seconds: number): Date => new Date(world.now() + seconds * 1000);
  const rowOf = async (world: LimitWorld) =>
    (await world.store.query<{ state: string }>("select state from limit_states"))[0]?.state;

  /** Asks, and lets all that needs no time happen. */
  async function ask(world: LimitWorld, limits: Limits, demands: Demand[], seconds: number, caller = callerOf("a")) {
    const asked: { permit?: Permit; failed?: unknown } = {};
    limits.admit(demands, caller, waitUntil(world, seconds)).then(
      (permit) => {
        asked.permit = permit;
      },
      (error) => {
        asked.failed = error;
      },
    );
    await world.settle();
    return asked;
  }
  const failureOf = (asked: { failed?: unknown }) => {
    expect(asked.failed).toBeInstanceOf(StepFailed);
    return (asked.failed as StepFailed).failure;
  };
  async function use(world: LimitWorld, limits: Limits, demands: Demand[], times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      const permit = await limits.admit(demands, callerOf("a"), waitUntil(world, 0));
      await permit.settle([], "arrived");
    }
  }

  test("a call waits until the oldest place of the window is free, and no longer", async () => {
    const world = await open();
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

  test("a call that would wait too long is refused at once, with the time to come back, and leaves no trace", async () => {
    const world = await open();
    const limits = node(world);
    await use(world, limits, [burst(2)], 2);
    const before = await rowOf(world);
    const failure = failureOf(await ask(world, limits, [burst(2)], 10));
    expect(failure).toMatchObject({ code: "rate_limited", waitSeconds: 21, done: "no" });
    expect(failure.detail).toContain('"burst", 2 in any 20 seconds');
    expect(await rowOf(world)).toBe(before);
  });

  test("whoever stands too far back in the line is told at once, not when the time is over", async () => {
    const world = await open();
    const limits = node(world);
    await use(world, limits, [burst(2)], 2);
    const asked = await Promise.all([1, 2, 3].map((each) => ask(world, limits, [burst(2)], 30, callerOf(`${each}`))));
    expect(asked.map(({ failed }) => failed === undefined)).toEqual([true, true, false]);
    expect(failureOf(asked[2] ?? {}).waitSeconds).toBeGreaterThan(40);
  });

  test("a wait that ends without a place leaves no trace", async () => {
    const world = await open();
    const limits = node(world);
    const { permit } = await ask(world, limits, [concurrent(1)], 0);
    const asked = await ask(world, limits, [concurrent(1)], 5);
    expect(await rowOf(world)).toContain('"q":[[');
    await world.advance(5000);
    expect(failureOf(asked)).toMatchObject({ code: "rate_limited", waitSeconds: 1 });
    expect(await rowOf(world)).toContain('"q":[]');
    await permit?.settle([], "arrived");
    expect((await limits.states([concurrent(1)]))[0]).toMatchObject({ used: 0, left: 1 });
  });

  test("a call that never left gives everything back", async () => {
    const world = await open();
    const limits = node(world);
    const demands = [burst(1), concurrent(1), daily(1)];
    const { permit } = await ask(world, limits, demands, 0);
    await permit?.settle([], "never left");
    expect((await limits.states(demands)).map(({ used }) => used)).toEqual([0, 0, 0]);
    expect((await ask(world, limits, demands, 0)).permit).toBeDefined();
  });

  test("a node that dies holds its places until its calls' time is over, and then one window longer", async () => {
    const world = await open();
    const dead = node(world, { callSeconds: 60 });
    await ask(world, dead, [burst(2), concurrent(1)], 0);
    const limits = node(world);
    const byConcurrency = await ask(world, limits, [concurrent(1)], 120);
    await world.advance(89_000);
    expect(byConcurrency.permit).toBeUndefined();
    await world.advance(2000);
    expect(byConcurrency.permit).toBeDefined();
    expect((await limits.states([burst(2)]))[0]).toMatchObject({ used: 1 });
    await world.advance(20_000);
    expect((await limits.states([burst(2)]))[0]).toMatchObject({ used: 0 });
  });

  test("one caller with 1,000 waiting calls delays another by one round only", async () => {
    const world = await open();
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
    const world = await open();
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

  test("the place that is kept for a node which died goes to others soon", async () => {
    const world = await open();
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

  test("a quota of the day is used up until midnight of its own time zone", async () => {
    const world = await open("2030-03-05T18:00:00Z");
    const limits = node(world);
    await use(world, limits, [daily(3)], 3);
    const failure = failureOf(await ask(world, limits, [daily(3)], 30));
    expect(failure).toMatchObject({ code: "quota_exhausted", waitSeconds: 12 * 3600 });
    expect((await limits.states([daily(3)]))[0]).toMatchObject({ left: 0, resets_at: "2030-03-06T06:00:00.000Z" });
    await world.advance(12 * 3_600_000);
    expect((await ask(world, limits, [daily(3)], 0)).permit).toBeDefined();
  });

  test("tokens are reserved by estimate and settled by what the answer says; the system's own count wins when it is lower", async () => {
    const world = await open();
    const limits = node(world);
    const tokens = daily(100, 60);
    const first = await ask(world, limits, [tokens], 0);
    const second = await ask(world, limits, [tokens], 30);
    expect(second.permit).toBeUndefined();
    await first.permit?.settle([{ subject, name: "daily", remaining: 95, taken: 5 }], "arrived");
    await world.settle();
    expect(second.permit).toBeDefined();
    await second.permit?.settle([{ subject, name: "daily", remaining: 40, taken: 5 }], "arrived");
    expect((await limits.states([tokens]))[0]).toMatchObject({ used: 60, left: 40 });
  });

  test("a call that asks for more than the whole quota may have the whole quota", async () => {
    const world = await open();
    const { permit } = await ask(world, node(world), [daily(100, 500)], 0);
    expect(permit).toBeDefined();
  });

  test("after a refusal by the system every node waits until the time it named", async () => {
    const world = await open();
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

  test("a clock that is set forward frees nothing, and one that is set back locks nothing", async () => {
    const world = await open();
    const limits = node(world);
    await use(world, limits, [burst(1)], 1);
    world.setWall(3_600_000);
    expect(failureOf(await ask(world, limits, [burst(1)], 10)).waitSeconds).toBeGreaterThan(15);
    world.setWall(-7_200_000);
    await world.advance(21_000);
    expect((await ask(world, limits, [burst(1)], 0)).permit).toBeDefined();
  });

  test("what was used is known after a restart", async () => {
    const world = await open();
    const before = node(world);
    await use(world, before, [burst(2)], 2);
    await before.close();
    expect(failureOf(await ask(world, node(world), [burst(2)], 0)).code).toBe("rate_limited");
  });

  test("a demand on two subjects takes places of both or of none", async () => {
    const world = await open();
    const limits = node(world);
    const other: Demand = { ...concurrent(1), subject: "marketing|https://two" };
    const held = await ask(world, limits, [other], 0);
    expect(failureOf(await ask(world, limits, [concurrent(1), other], 0)).code).toBe("rate_limited");
    expect((await limits.states([concurrent(1)]))[0]).toMatchObject({ used: 0 });
    await held.permit?.settle([], "arrived");
    const both = await ask(world, limits, [concurrent(1), other], 0);
    expect((await limits.states([concurrent(1), other])).map(({ used }) => used)).toEqual([1, 1]);
    await both.permit?.settle([], "arrived");
    expect((await limits.states([concurrent(1), other])).map(({ used }) => used)).toEqual([0, 0]);
  });

  test("who waits is shown with their run to their own project, on every node, and as a number to others", async () => {
    const world = await open();
    const [one, other] = [node(world), node(world)];
    await ask(world, one, [concurrent(1)], 0);
    const since = new Date(world.now()).toISOString();
    await ask(world, one, [concurrent(1)], 60, callerOf("mine", "prj_1"));
    await ask(world, one, [concurrent(1)], 60, callerOf("theirs", "prj_2"));
    await world.advance(2500);
    const shown = { waiting: [{ caller: "mine", since, run_id: "run_mine" }], waiting_others: 1 };
    for (const limits of [one, other]) expect((await limits.states([concurrent(1)], "prj_1"))[0]).toMatchObject(shown);
    expect(await other.ofProject("prj_1")).toMatchObject([
      { connectionId: "con_prj_1", name: "concurrent", used: 1, ...shown },
    ]);
    expect(await other.ofProject("prj_3")).toEqual([]);
    await world.advance(60_000);
    expect((await other.states([concurrent(1)], "prj_1"))[0]).toMatchObject({ waiting: [], waiting_others: 0 });
  });

  test("a reset that no system can mean does not stop everybody for years", async () => {
    const world = await open();
    const limits = node(world);
    const { permit } = await ask(world, limits, [burst(100)], 0);
    await permit?.settle([{ subject, name: "burst", remaining: 0, resetsAt: new Date("2099-01-01") }], "arrived");
    const { waitSeconds } = failureOf(await ask(world, limits, [burst(100)], 0));
    expect(waitSeconds).toBe(25 * 3600);
  });

  test("while the store does not answer a call is refused and none is lost: what landed is told to it later", async () => {
    const world = await open();
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
});
