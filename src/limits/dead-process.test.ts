import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  type Asked,
  ask,
  burst,
  callerOf,
  concurrent,
  daily,
  node,
  open,
  rowOf,
  subject,
  viewerOf,
  waitUntil,
} from "../../test/support/systems/limit-calls.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import { releaseAllReservations } from "./limits.ts";
import { releaseOfDeadProcesses } from "./release-reservations.ts";
import type { LimitClock } from "./state/clock.ts";

// "Places are leases of the process; a server that starts alone frees them at once, others within the lease; a place whose call may
// still be at work at the vendor is freed when that call's own deadline is over."
describeOnBothStores("the slots of a process that died", (kind) => {
  const demands = [burst(100), concurrent(3), daily(10_000)];

  test("are free at once for a process that starts alone, except those of a sent write, kept until its deadline", async () => {
    const world = await open(kind);
    const dead = node(world);
    await ask(world, dead, demands, 0);
    const write = { isAnnounced: true, milliseconds: 20_000 };
    const left = await dead.admit(demands, callerOf("a"), waitUntil(world, 0), write);
    expect(await left.startSend(20_000)).toBe(true);
    await dead.admit(demands, callerOf("a"), waitUntil(world, 0), write);
    // It waits, and its turn has expired.
    await ask(world, dead, demands, 3600);
    await dead.close();
    await releaseAllReservations(world.store, world.clock);

    const limits = node(world);
    // A read may have arrived, so it counts; a write that was not sent does not. The slot of the read can be tried.
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([2, 2, 2]);
    const asked = await Promise.all([1, 2, 3].map(() => ask(world, limits, demands, 3600)));
    expect(asked.filter(({ permit }) => permit)).toHaveLength(2);
    await world.advance(19_000);
    expect(asked.filter(({ permit }) => permit)).toHaveLength(2);
    await world.advance(2000);
    expect(asked.filter(({ permit }) => permit)).toHaveLength(3);
  });

  // "A place among concurrent calls stays taken until the vendor can no longer be working on the call."
  test("of its reads are tried by one call at a time, and stay taken while the system refuses it", async () => {
    const world = await open(kind);
    const demands = [concurrent(2)];
    const dead = node(world);
    const read = { milliseconds: 20_000 };
    for (let i = 0; i < 2; i++) await dead.admit(demands, callerOf("a"), waitUntil(world, 0), read);
    await dead.close();
    await releaseAllReservations(world.store, world.clock);

    const [limits, other] = [node(world), node(world)];
    const asked: Asked[] = [];
    for (const each of [limits, limits, limits, other]) asked.push(await ask(world, each, demands, 3600));
    const admitted = () => asked.flatMap(({ permit }) => permit ?? []);
    const end = async (outcome: "arrived" | "never sent", remaining?: number) => {
      const at = asked.findIndex(({ permit }) => permit);
      const [ended] = asked.splice(at, 1);
      const resetsAt = new Date(world.now() + 1000);
      const refused = remaining === undefined ? [] : [{ subject, name: "concurrent", remaining, resetsAt }];
      await ended?.permit?.settle(refused, outcome);
      await world.settle();
    };
    expect(admitted()).toHaveLength(1);
    await end("arrived", 0);
    expect(admitted()).toHaveLength(0);
    await world.advance(2000);
    expect(admitted()).toHaveLength(1);
    await end("arrived");
    await world.advance(2000);
    // The first slot is free, and the second is tried.
    expect(admitted()).toHaveLength(2);
    await end("never sent");
    await end("never sent");
    asked.push(await ask(world, limits, demands, 3600), await ask(world, other, demands, 3600));
    await world.advance(2000);
    expect(admitted()).toHaveLength(2);
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([2]);
    // Nothing is in doubt once the deadline of the reads is over.
    await world.advance(50_000);
    await end("never sent");
    await end("never sent");
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([0]);
  });

  test("cannot be used to send a write if the process was declared dead by mistake", async () => {
    const world = await open(kind);
    const limits = node(world);
    const permit = await limits.admit(demands, callerOf("a"), waitUntil(world, 0), { isAnnounced: true });
    await releaseAllReservations(world.store, world.clock);
    expect(await permit.startSend(60_000)).toBe(false);
    await permit.settle([], "never sent");
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([0, 0, 0]);
  });

  test("of a process that was declared dead by mistake are free when its read ends, which then counts once more", async () => {
    const world = await open(kind);
    const limits = node(world);
    const { permit } = await ask(world, limits, demands, 0);
    await releaseAllReservations(world.store, world.clock);
    await world.advance(5000);
    await permit?.settle([], "arrived");
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([2, 0, 1]);
  });

  test("expire after the time that this very call may take, not the longest of any call", async () => {
    const world = await open(kind);
    await node(world).admit([concurrent(1)], callerOf("a"), waitUntil(world, 0), { milliseconds: 5000 });
    const asked = await ask(world, node(world), [concurrent(1)], 3600);
    await world.advance(34_000);
    expect(asked.permit).toBeUndefined();
    await world.advance(2000);
    expect(asked.permit).toBeDefined();
  });

  test("are free for other nodes within the lease of the process", async () => {
    const world = await open(kind);
    let isAlive = true;
    const clock: LimitClock = {
      ...world.clock,
      after: (milliseconds, work) => world.clock.after(milliseconds, () => isAlive && work()),
    };
    const dead = node(world, { clock });
    await ask(world, dead, demands, 0);
    await dead.admit(demands, callerOf("a"), waitUntil(world, 0), { isAnnounced: true });
    const left = await dead.admit(demands, callerOf("a"), waitUntil(world, 0), { isAnnounced: true });
    await left.startSend(40_000);
    await world.settle();
    await world.advance(6000);
    isAlive = false;
    const limits = node(world);
    const asked = await Promise.all([1, 2, 3].map(() => ask(world, limits, demands, 3600)));
    expect(asked.filter(({ permit }) => permit)).toHaveLength(0);
    await world.advance(14_000);
    expect(asked.filter(({ permit }) => permit)).toHaveLength(0);
    await world.advance(10_000);
    expect(asked.filter(({ permit }) => permit)).toHaveLength(2);
    await world.advance(12_000);
    expect(asked.filter(({ permit }) => permit)).toHaveLength(3);
  });

  test("are free within the lease, though it died in the moment of its first admission", async () => {
    const world = await open(kind);
    let isAlive = true;
    const never = new Promise<never>(() => {});
    const store: Store = {
      ...world.store,
      async transaction(work) {
        if (!isAlive) return never;
        const result = await world.store.transaction(work);
        if (await rowOf(world)) isAlive = false;
        return result;
      },
    };
    const clock: LimitClock = { ...world.clock, after: () => () => {} };
    const dead = node(world, { store, clock });
    await dead.admit([concurrent(1)], callerOf("a"), waitUntil(world, 0), { milliseconds: 60_000 });
    expect(isAlive).toBe(false);
    const asked = await ask(world, node(world), [concurrent(1)], 3600);
    await world.advance(14_000);
    expect(asked.permit).toBeUndefined();
    await world.advance(10_000);
    expect(asked.permit).toBeDefined();
  });

  test.each([1, 2])(
    "are free with the next beat if the store was away at commit %i of their release",
    async (which) => {
      const world = await open(kind);
      const dead = node(world, { clock: { ...world.clock, after: () => () => {} } });
      await dead.admit([concurrent(1)], callerOf("a"), waitUntil(world, 0), { isAnnounced: true });
      await world.settle();
      await world.advance(20_000);
      let commits = 0;
      const store: Store = {
        ...world.store,
        async transaction(work) {
          if (++commits === which) throw new StoreUnavailable("unreachable", new Error("The connection was lost."));
          return world.store.transaction(work);
        },
      };
      const beat = () => releaseOfDeadProcesses({ store, clock: world.clock, time: "own" });
      await expect(beat()).rejects.toThrow(StoreUnavailable);
      await beat();
      expect((await node(world).states([concurrent(1)], viewerOf())).map(({ used }) => used)).toEqual([0]);
      expect(await world.store.query("select process from limit_waiters")).toEqual([]);
    },
  );

  test("are kept for a process that lives, however long its calls take", async () => {
    const world = await open(kind);
    const [slow, limits] = [node(world), node(world)];
    const { permit } = await ask(world, slow, [concurrent(1)], 0);
    const asked = await ask(world, limits, [concurrent(1)], 3600);
    await world.advance(80_000);
    expect(asked.permit).toBeUndefined();
    await permit?.settle([], "arrived");
    await world.advance(1000);
    expect(asked.permit).toBeDefined();
    const pulses = () => world.store.query("select process from limit_waiters where subject = ''");
    expect(await pulses()).not.toHaveLength(0);
    await asked.permit?.settle([], "arrived");
    await world.advance(6000);
    expect(await pulses()).toHaveLength(0);
  });
});

describeOnBothStores("a call that our own time-out has ended", (kind) => {
  const demands = [burst(100), concurrent(2), daily(10_000)];

  // "A place whose call may still be at work at the vendor is freed when that call's own deadline is over."
  test("keeps its concurrent slot until the system has given it up, and nothing else", async () => {
    const world = await open(kind);
    const dying = node(world);
    const { permit } = await ask(world, dying, demands, 0);
    await world.advance(5000);
    await permit?.settle([], "arrived", 30_000);
    const limits = node(world);
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([1, 1, 1]);
    const asked = await Promise.all([1, 2].map(() => ask(world, limits, demands, 3600)));
    expect(asked.filter((each) => each.permit)).toHaveLength(1);
    await world.advance(21_000);
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([1, 2, 2]);
    // The process that waited for its answer may die, and others release slots of dead processes.
    await dying.close();
    await world.advance(7000);
    expect(asked.filter((each) => each.permit)).toHaveLength(1);
    await world.advance(3000);
    expect(asked.filter((each) => each.permit)).toHaveLength(2);
    expect((await limits.states(demands, viewerOf())).map(({ used }) => used)).toEqual([2, 2, 3]);
  });
});
