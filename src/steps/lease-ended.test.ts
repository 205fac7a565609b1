import { expect, test } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { node, open } from "../../test/support/systems/limit-calls.ts";
import { findStep } from "../systems/index.ts";
import { runStep } from "./run-step.ts";

const path = "/rest/v1/leads/push.json";

// "A system executes nothing later than 90 seconds (marketing automation: 100) after the request was cut off": another node counts from
// its first probe, which follows the end of the lease.
test("a write whose process loses its lease is cut off at once, and its slot stays taken", async () => {
  const { app, connections, projectId, sandboxes } = await startPlatform("sqlite");
  const connection = await app.context.rooms.vault.find(projectId, connections.marketing);
  const step = findStep("marketing_api_call");
  if (!step || !connection) throw new Error("Something is missing.");
  const { marketing } = sandboxes;
  await marketing.control("faults", { match: { method: "POST", path }, delay_ms: 60_000 });
  const world = await open("sqlite");
  const limits = node(world);
  const now = () => new Date(world.now());
  const later = new Date(world.now() + 900_000);
  let isHeld = true;
  const call = {
    step,
    input: { method: "POST", endpoint: path, body: { input: [{ email: "slow@example.com" }] } },
    connection,
    context: { intentId: "run_1", now: now(), identity: connection.identity },
    fence: { isHeld: () => isHeld },
    runId: "run_1",
    callerId: "run_1",
    waitUntil: later,
    stayUntil: later,
  };
  const journal = { intend: async () => {} };
  const ending = runStep(call, { ...app.context.rooms.steps, now, limits, journal });
  await expect.poll(async () => (await marketing.requests(path)).length).toBe(1);
  isHeld = false;
  const end = await ending;
  expect(end.status).toBe("outcome_unknown");
  expect(end.attempts[0]?.problem?.detail).toMatch(/could not be kept, so the request was cut off/);
  const viewer = { organizationId: connection.organizationId, projectId };
  const concurrent = (await limits.ofProject(viewer)).filter(({ name }) => name === "concurrent");
  expect(concurrent.map(({ used }) => used)).toEqual([1]);
});
