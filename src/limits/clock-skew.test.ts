import { describe, expect, inject, test } from "vitest";
import { newStore } from "../../test/support/stores.ts";
import { createLimitWorld } from "../../test/support/systems/limit-world.ts";
import type { Demand } from "../systems/define.ts";
import { StepFailed } from "../systems/work.ts";
import { createLimits, type Limits } from "./limits.ts";

const subject = "marketing|https://one";
const burst: Demand = { subject, name: "burst", kind: "window", max: 5, amount: 1, windowSeconds: 20 };
const concurrent: Demand = { subject, name: "concurrent", kind: "concurrent", max: 2, amount: 1 };
const caller = { id: "a", organizationId: "org_1", projectId: "prj_1", connectionId: "con_1", runId: "run_1" };

/** Rows use the database's time, so the clocks of nodes do not matter. */
describe.skipIf(inject("postgresUrl") === null)("nodes whose clocks differ by 30 s, on PostgreSQL", () => {
  const open = async () => {
    const world = createLimitWorld(await newStore("postgres"), Date.now());
    const nodeAt = (skew: number) => {
      const clock = world.skewed(skew);
      // Calls have 30 s: by the clock of a node that is ahead, those of another node are over as they begin.
      return { limits: createLimits({ store: world.store, clock, callSeconds: 0 }), now: clock.wall };
    };
    return [nodeAt(0), nodeAt(30_000), nodeAt(-30_000)];
  };
  const now = ({ now }: { now(): number }) => new Date(now());
  const refused = async (limits: Limits, demands: Demand[], waitUntil: Date) => {
    const error = await limits.admit(demands, caller, waitUntil).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StepFailed);
    return (error as StepFailed).failure;
  };

  test.each([
    ["ahead", 1],
    ["behind", 2],
  ])("a node that is %s frees no slot early", async (_, which) => {
    const nodes = await open();
    const [first, other] = [nodes[0], nodes[which]];
    if (!first || !other) throw new Error("There are three nodes.");
    for (let call = 0; call < 5; call++) {
      await (await first.limits.admit([burst], caller, now(first))).settle([], "arrived");
    }
    const failure = await refused(other.limits, [burst], now(other));
    expect(failure.code).toBe("rate_limited");
    expect(failure.waitSeconds).toBeGreaterThan(10);
    expect(failure.waitSeconds).toBeLessThanOrEqual(21);
  });

  test("a node that is ahead declares no process dead", async () => {
    const [first, ahead] = await open();
    if (!first || !ahead) throw new Error("There are three nodes.");
    for (let call = 0; call < 2; call++) await first.limits.admit([concurrent], caller, now(first));
    expect((await refused(ahead.limits, [concurrent], now(ahead))).code).toBe("rate_limited");
  });

  test("a reset that the system reported holds for all nodes alike", async () => {
    const [first, ahead, behind] = await open();
    if (!first || !ahead || !behind) throw new Error("There are three nodes.");
    const permit = await first.limits.admit([burst], caller, now(first));
    const resetsAt = new Date(first.now() + 60_000);
    await permit.settle([{ subject, name: "burst", remaining: 0, resetsAt }], "arrived");
    for (const { limits, ...clock } of [ahead, behind]) {
      const { waitSeconds = 0 } = await refused(limits, [burst], now(clock));
      expect(waitSeconds).toBeGreaterThan(50);
      expect(waitSeconds).toBeLessThanOrEqual(60);
    }
  });
});
