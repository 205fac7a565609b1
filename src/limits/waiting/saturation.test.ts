import fc from "fast-check";
import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../../test/support/stores.ts";
import { createLimitWorld, type LimitWorld } from "../../../test/support/systems/limit-world.ts";
import type { Demand } from "../../systems/define.ts";
import { createLimits, type Limits } from "../limits.ts";

/** "100 calls per 20 seconds", 10 at a time, as the marketing system counts them itself: when a call arrives. */
const callsMax = 100;
const windowSeconds = 20;
const concurrentMax = 10;

const demands: Demand[] = [
  { subject: "marketing|https://one", name: "burst", kind: "window", max: callsMax, amount: 1, windowSeconds },
  { subject: "marketing|https://one", name: "concurrent", kind: "concurrent", max: concurrentMax, amount: 1 },
];

/** A strict system: it records each arrival, and how many calls were under way at once. */
function createSystem(world: LimitWorld) {
  const arrivals: number[] = [];
  let working = 0;
  let mostAtOnce = 0;
  return {
    arrivals,
    mostAtOnce: () => mostAtOnce,
    mostInWindow: () =>
      Math.max(
        0,
        ...arrivals.map(
          (at, index) => arrivals.slice(0, index + 1).filter((each) => each > at - windowSeconds * 1000).length,
        ),
      ),
    /** It arrives after `there`, and its answer after `there + work + back`. */
    call: (there: number, work: number, back: number) =>
      new Promise<void>((answer) => {
        world.clock.after(there, () => {
          arrivals.push(world.now());
          mostAtOnce = Math.max(mostAtOnce, ++working);
          world.clock.after(work, () => {
            working--;
            world.clock.after(back, answer);
          });
        });
      }),
  };
}

interface Plan {
  nodes: number;
  callersPerNode: number;
  slowest: number;
  seed: number;
}

const planned: fc.Arbitrary<Plan> = fc.record({
  nodes: fc.integer({ min: 1, max: 4 }),
  callersPerNode: fc.integer({ min: 6, max: 12 }),
  slowest: fc.integer({ min: 3, max: 250 }),
  seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
});

/** Pseudo-random numbers from 0 up to 1, equal for equal seeds. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function saturate(world: LimitWorld, plan: Plan, random: () => number, seconds: number) {
  const system = createSystem(world);
  const nodes = Array.from({ length: plan.nodes }, () =>
    createLimits({ store: world.store, clock: world.clock, time: "own" }),
  );
  const end = world.now() + seconds * 1000;
  const part = () => Math.round((random() * plan.slowest) / 3);
  async function caller(limits: Limits, id: string): Promise<void> {
    while (world.now() < end) {
      const who = { id, organizationId: "org_1", projectId: "prj_1", connectionId: "con_1", runId: "run_1" };
      const permit = await limits.admit(demands, who, new Date(end + 3_600_000));
      await system.call(part(), part(), part());
      await permit.settle([], "arrived");
    }
  }
  for (const [index, limits] of nodes.entries()) {
    for (let each = 0; each < plan.callersPerNode; each++) void caller(limits, `${index}.${each}`);
  }
  await world.advance(seconds * 1000);
  return system;
}

describeOnBothStores("a limit that all nodes share, at saturation", (kind) => {
  test("no window of the system ever holds more than allowed, no more are under way, and at least 97 % is used", async () => {
    await fc.assert(
      fc.asyncProperty(planned, async (plan) => {
        const random = randomFrom(plan.seed);
        const world = createLimitWorld(await newStore(kind), undefined, random);
        const { arrivals, mostInWindow, mostAtOnce } = await saturate(world, plan, random, 85);
        expect(mostInWindow()).toBeLessThanOrEqual(callsMax);
        expect(mostAtOnce()).toBeLessThanOrEqual(concurrentMax);
        // The first call of the fifth window cannot arrive before 80 s have passed.
        const [first = 0, fifth = Number.POSITIVE_INFINITY] = [arrivals[0], arrivals[callsMax * 4]];
        expect((4 * windowSeconds * 1000) / (fifth - first)).toBeGreaterThanOrEqual(0.97);
      }),
      { numRuns: kind === "sqlite" ? 8 : 3, endOnFailure: true },
    );
  });
});
