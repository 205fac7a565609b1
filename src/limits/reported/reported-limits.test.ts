import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../../test/support/stores.ts";
import { viewerOf } from "../../../test/support/systems/limit-calls.ts";
import { createLimitWorld, type LimitWorld } from "../../../test/support/systems/limit-world.ts";
import type { Demand, ReportedLimit } from "../../systems/define.ts";
import { StepFailed } from "../../systems/work.ts";
import { createLimits, type Limits } from "../limits.ts";

const subject = "deployment|https://api|list";
const listing: Demand = { subject, name: "deployments list", kind: "reported", max: null, amount: 1 };
const caller = { id: "a", organizationId: "org_1", projectId: "prj_1", connectionId: "con_1", runId: "run_1" };

/** "Rate limit status is reported in response headers" */
describeOnBothStores("limits that a system reports with its answers", (kind) => {
  const open = async () => createLimitWorld(await newStore(kind));
  const node = (world: LimitWorld, processes?: () => number): Limits =>
    createLimits({ store: world.store, clock: world.clock, time: "own", ...(processes && { processes }) });
  const soon = (world: LimitWorld, seconds: number): Date => new Date(world.now() + seconds * 1000);
  const report = (remaining: number, resetsAt: Date, max = 500): ReportedLimit[] => [
    { subject, name: listing.name, remaining, max, resetsAt },
  ];
  const call = async (world: LimitWorld, limits: Limits, news: ReportedLimit[], seconds = 0): Promise<number> => {
    const permit = await limits.admit([listing], caller, soon(world, seconds));
    await permit.settle(news, "arrived");
    await world.settle();
    return permit.waitedMilliseconds;
  };

  test("a call makes no query while plenty is left", async () => {
    const world = await open();
    const limits = node(world);
    const resetsAt = soon(world, 60);
    await call(world, limits, report(499, resetsAt));
    const before = world.statements;
    for (let left = 498; left > 100; left--) await call(world, limits, report(left, resetsAt));
    expect(world.statements).toBe(before);
  });

  test("beside the calls, one small read every two seconds learns what the system reported to other nodes", async () => {
    const world = await open();
    const limits = node(world);
    await call(world, limits, report(400, soon(world, 60)));
    await world.advance(6000);
    const before = world.statements;
    for (let second = 0; second < 10; second++) {
      for (let each = 0; each < 20; each++) await call(world, limits, report(400, soon(world, 60)));
      await world.advance(1000);
    }
    expect(world.statements - before).toBeLessThanOrEqual(5);
    await world.advance(60_000);
    expect(world.statements - before).toBeLessThanOrEqual(6);
  });

  test("a refusal that names an earlier time than the reset is obeyed, on every node", async () => {
    const world = await open();
    const [one, other] = [node(world), node(world)];
    for (const limits of [one, other]) await call(world, limits, report(400, soon(world, 60)));
    await call(world, one, report(0, soon(world, 20)));
    await world.advance(2500);
    for (const limits of [one, other]) {
      const refused = await limits.admit([listing], caller, soon(world, 10)).catch((error: unknown) => error);
      expect(refused).toMatchObject({ failure: { code: "rate_limited", waitSeconds: 18 } });
    }
  });

  test("once a node learns that nothing is left, every node waits until the reset", async () => {
    const world = await open();
    const [one, other] = [node(world), node(world)];
    await call(world, other, report(400, soon(world, 60)));
    await call(world, one, report(0, soon(world, 60)));
    await world.advance(2500);
    for (const limits of [one, other]) {
      const refused = await limits.admit([listing], caller, soon(world, 30)).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StepFailed);
      expect((refused as StepFailed).failure).toMatchObject({ code: "rate_limited", waitSeconds: 58 });
    }
    const waited = [one, other].map((limits) => call(world, limits, report(499, soon(world, 120)), 90));
    await world.advance(57_000);
    await world.advance(1000);
    for (const milliseconds of await Promise.all(waited)) expect(milliseconds).toBeGreaterThanOrEqual(57_400);
  });

  // "What would have waited for the time of the clock that was ahead continues."
  test("a clock that was years ahead, and is right again, blocks no limit until then", async () => {
    const world = await open();
    const limits = node(world);
    const years = 10 * 365 * 86_400_000;
    world.setWall(years);
    await call(world, limits, report(0, soon(world, 60)));
    world.setWall(-years);
    for (const each of [limits, node(world)]) {
      const refused = await each.admit([listing], caller, soon(world, 10)).catch((error: unknown) => error);
      expect(refused).toMatchObject({ failure: { code: "rate_limited", waitSeconds: 60 } });
    }
    await world.advance(61_000);
    for (const each of [limits, node(world)]) expect(await call(world, each, [])).toBe(0);
  });

  test("nodes share the last calls of a period, one by one", async () => {
    const world = await open();
    const [one, other] = [node(world), node(world)];
    const resetsAt = soon(world, 60);
    await call(world, one, report(3, resetsAt));
    await call(world, other, report(3, resetsAt));
    const asked = await Promise.allSettled(
      [one, other, one, other, one, other]
        .map((limits) => limits.admit([listing], caller, soon(world, 5)))
        .map(race(world)),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  });

  /** A call that waits for others to settle is refused when its time is over. */
  const race = (world: LimitWorld) => (asked: Promise<unknown>, index: number) => {
    if (index === 0) void world.advance(6000);
    return asked;
  };

  /** A system that lets `max` calls through in a minute, and tells each answer what is left. */
  const systemOf = (world: LimitWorld, max: number) => {
    let [used, period, overrun] = [0, 0, 0];
    return {
      overruns: () => overrun,
      arrive(): ReportedLimit[] {
        const now = Math.floor(world.now() / 60_000);
        if (now !== period) [used, period] = [0, now];
        if (++used > max) overrun++;
        return report(Math.max(0, max - used), new Date((period + 1) * 60_000), max);
      },
    };
  };
  /** All calls of all nodes at once; each takes `milliseconds` at the system, which counts it at the end. */
  const burstOf = (world: LimitWorld, nodes: Limits[], calls: number, system: ReturnType<typeof systemOf>) =>
    Array.from({ length: calls }, async (_, index) => {
      const limits = nodes[index % nodes.length] as Limits;
      const permit = await limits.admit([listing], { ...caller, id: `c${index}` }, soon(world, 30));
      await new Promise<void>((resolve) => world.clock.after(400, resolve));
      await permit.settle(system.arrive(), "arrived");
    });

  // "Limits told by the vendor cannot be overrun by several nodes after a reset, or before anything is known."
  test("nobody overruns a limit before anything is known of it, nor after it was reset, on however many nodes", async () => {
    const world = await open();
    const nodes = [node(world), node(world), node(world)];
    const system = systemOf(world, 20);
    const first = Promise.allSettled(burstOf(world, nodes, 60, system));
    await world.advance(40_000);
    const firstOutcomes = (await first).map(({ status }) => status);
    expect(firstOutcomes.filter((status) => status === "fulfilled")).toHaveLength(20);
    await world.advance(30_000);
    const second = Promise.allSettled(burstOf(world, nodes, 60, system));
    await world.advance(40_000);
    const secondOutcomes = (await second).map(({ status }) => status);
    expect(secondOutcomes.filter((status) => status === "fulfilled")).toHaveLength(20);
    expect(system.overruns()).toBe(0);
  });

  // "A shared limiter that never overruns": each of them still believes what the system told it some seconds ago.
  test("nobody overruns what a limit has left, if many nodes call at the same moment", async () => {
    const world = await open();
    const nodes = Array.from({ length: 30 }, () => node(world, () => 30));
    const system = systemOf(world, 120);
    const toAll = Promise.all(burstOf(world, nodes, 30, system));
    await world.advance(20_000);
    await toAll;
    const [first, ...others] = nodes as [Limits, ...Limits[]];
    // What the others learned says that plenty is left.
    for (let left = 90; left > 14; left--) await call(world, first, system.arrive());
    const atOnce = Promise.allSettled(burstOf(world, others, 29, system));
    await world.advance(35_000);
    expect((await atOnce).filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(14);
    expect(system.overruns()).toBe(0);
  });

  test("a system that reports nothing holds up nobody after its first answer", async () => {
    const world = await open();
    const limits = node(world);
    await call(world, limits, []);
    const before = world.statements;
    const permits = await Promise.all(
      Array.from({ length: 50 }, () => limits.admit([listing], caller, soon(world, 0))),
    );
    expect([permits.length, world.statements]).toEqual([50, before]);
    for (const permit of permits) await permit.settle([], "arrived");
  });

  test("an older answer that arrives late does not undo a newer one", async () => {
    const world = await open();
    const limits = node(world);
    await call(world, limits, report(200, soon(world, 60)));
    await call(world, limits, report(300, soon(world, 60)));
    expect((await limits.states([listing], viewerOf()))[0]).toMatchObject({ max: 500, left: 200, used: 300 });
    await call(world, limits, report(499, soon(world, 120)));
    expect((await limits.states([listing], viewerOf()))[0]).toMatchObject({ left: 499 });
  });

  test("reported limits are shown to the projects whose connections met them", async () => {
    const world = await open();
    const limits = node(world);
    const resetsAt = soon(world, 60);
    await call(world, limits, report(200, resetsAt));
    expect(await limits.ofProject(viewerOf("prj_1"))).toEqual([
      {
        connectionId: "con_1",
        subject,
        name: "deployments list",
        kind: "reported",
        window_seconds: null,
        max: 500,
        assumed: false,
        used: 300,
        reserved: 0,
        left: 200,
        resets_at: resetsAt.toISOString(),
        waiting: [],
        waiting_others: 0,
      },
    ]);
    expect(await limits.ofProject(viewerOf("prj_2"))).toEqual([]);
  });
});
