import { expect, test } from "vitest";
import { node } from "../../test/support/systems/limit-calls.ts";
import { startLimitedWrite } from "../../test/support/systems/limited-write.ts";
import { runStep } from "./run-step.ts";

const path = "/rest/v1/leads/push.json";

// "A system executes nothing later than 90 seconds (marketing automation: 100) after the request was cut off": another node counts from
// its first probe, which follows the end of the lease.
test("a write whose process loses its lease is cut off at once, and its slot stays taken", async () => {
  const body = { input: [{ email: "slow@example.com" }] };
  const { call, ports, world, viewer, marketing } = await startLimitedWrite(path, body);
  await marketing.control("faults", { match: { method: "POST", path }, delay_ms: 60_000 });
  const limits = node(world);
  let isHeld = true;
  const fence = { isHeld: () => isHeld };
  const journal = { intend: async () => {} };
  const ending = runStep({ ...call, fence }, { ...ports, limits, journal });
  await expect.poll(async () => (await marketing.requests(path)).length).toBe(1);
  isHeld = false;
  const end = await ending;
  expect(end.status).toBe("outcome_unknown");
  expect(end.attempts[0]?.problem?.detail).toMatch(/could not be kept, so the request was cut off/);
  const concurrent = (await limits.ofProject(viewer)).filter(({ name }) => name === "concurrent");
  expect(concurrent.map(({ used }) => used)).toEqual([1]);
});
