import { describe, expect, test } from "vitest";
import { createCountingWorld, nothing, send } from "../../../../test/support/calls/counting-world.ts";

// "Approximate within 5 %": also where 5 % of a quota, divided by the processes, is less than one call.
describe("a limit that many processes share", () => {
  test.each([
    [4, 200],
    [30, 200],
    [100, 200],
    [40, 1200],
    [100, 6000],
  ])("%i processes admit a quota of %i within 5 percent, though each holds calls in advance", async (nodes, quota) => {
    const { limits, advance } = createCountingWorld({ nodes, quota, latency: () => 2 });
    const outcome = nothing();
    // Each process admits as many as make it take some in advance; then one of them gets all calls, at once.
    for (let round = 0; round * nodes < quota / 2; round++) for (const node of limits) send(node, outcome);
    await advance(100);
    for (let call = 0; call < quota; call++) send(limits[0], outcome);
    await advance(100);
    expect(outcome.admitted).toBeGreaterThanOrEqual(quota * 0.95);
    expect(outcome.admitted).toBeLessThanOrEqual(quota * 1.05);
  });

  test("a call waits for one exchange, where no process can take a call in advance", async () => {
    const { limits, advance, questions } = createCountingWorld({ nodes: 100, quota: 200, latency: () => 2 });
    const outcome = nothing();
    for (let call = 0; call < 20; call++) {
      send(limits[call], outcome);
      await advance(20);
      expect(outcome.admitted).toBe(call + 1);
    }
    await advance(5_000);
    // Nothing was held, so nothing is given back.
    expect(questions()).toBe(20);
  });

  test("a call that needs three counts waits for one exchange", async () => {
    const { limits, advance, questions } = createCountingWorld({ nodes: 100, quota: 200, latency: () => 2 });
    const call = limits[0]?.admitCaller(["default", "write"], { keyId: "key", userId: "user" });
    await advance(20);
    expect((await call)?.state).toMatch(/^"default";r=\d+;t=60, "write";r=\d+;t=60$/);
    expect(questions()).toBe(1);
  });
});
