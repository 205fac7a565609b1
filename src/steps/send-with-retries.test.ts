import { afterEach, expect, test, vi } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { findStep } from "../systems/index.ts";
import { runStep } from "./run-step.ts";

afterEach(() => vi.restoreAllMocks());

/** A process that was paused just then, like on a machine that sleeps. */
test("a write whose intent took too long to become durable is not sent: another worker may have settled it", async () => {
  const { app, connections, projectId, sandboxes } = await startPlatform("sqlite");
  const step = findStep("marketing_api_call");
  const connection = await app.context.rooms.vault.find(projectId, connections.marketing);
  if (!step || !connection) throw new Error("Something is missing.");
  const endpoint = "/rest/v1/leads.json";
  const input = { method: "POST", endpoint, body: { input: [{ email: "slow@example.com" }] } };
  const later = new Date(app.now().getTime() + 900_000);
  const context = { intentId: "run_1", now: app.now(), identity: connection.identity };
  const call = {
    step,
    input,
    connection,
    context,
    fence: { isHeld: () => true },
    runId: "run_1",
    callerId: "run_1",
    waitUntil: later,
    stayUntil: later,
  };
  const clock = performance.now.bind(performance);
  let asleep = 0;
  vi.spyOn(performance, "now").mockImplementation(() => clock() + asleep);
  const intents: number[] = [];
  const intend = async () => {
    intents.push((await sandboxes.marketing.requests(endpoint)).length);
    if (intents.length === 1) asleep = 9_000;
  };
  const end = await runStep(call, { ...app.context.rooms.steps, journal: { intend } });
  expect([end.status, intents]).toEqual(["succeeded", [0, 0]]);
  expect(await sandboxes.marketing.requests(endpoint)).toHaveLength(1);
  expect(end.attempts.map(({ response, problem }) => [response?.status, problem?.code])).toEqual([
    [undefined, "system_unavailable"],
    [200, undefined],
  ]);
});

// "Server time-outs: 30 s; query by filter or list 60 s; sync leads 90 s": the system may still work on a call that we
// gave up.
test.each([
  ["our own time-out ends keeps its place among those at once", { delay_ms: 3000 }, 1],
  ["the system itself cuts off gives its place back", { drop: "after", times: 5 }, 0],
])("a call that %s", async (_, fault, held) => {
  const { app, connections, projectId, sandboxes } = await startPlatform("sqlite");
  const step = findStep("marketing_api_call");
  const connection = await app.context.rooms.vault.find(projectId, connections.marketing);
  if (!step || !connection) throw new Error("Something is missing.");
  const endpoint = "/rest/v1/leads.json";
  const input = {
    method: "POST",
    endpoint,
    body: { action: "createDuplicate", input: [{ email: "slow@example.com" }] },
  };
  await sandboxes.marketing.control("faults", { match: { method: "POST", path: endpoint }, ...fault });
  const soon = new Date(app.now().getTime() + 1000);
  const end = await runStep(
    {
      step,
      input,
      connection,
      context: { intentId: "run_1", now: app.now(), identity: connection.identity },
      fence: { isHeld: () => true },
      runId: "run_1",
      callerId: "run_1",
      waitUntil: soon,
      stayUntil: soon,
    },
    { ...app.context.rooms.steps, journal: { intend: async () => {} } },
  );
  expect(end.status).toBe("outcome_unknown");
  const viewer = { organizationId: connection.organizationId, projectId };
  const limits = await app.context.rooms.steps.limits.ofProject(viewer);
  expect(limits.filter(({ name }) => name === "concurrent").map(({ used }) => used)).toEqual([held]);
});
