import { afterEach, expect, test, vi } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { findStep } from "../systems/index.ts";
import { runStep } from "./run-step.ts";

afterEach(() => vi.restoreAllMocks());

/** A process that was stopped just then, as a machine does that sleeps. */
test("a write whose intent took too long to become durable is not sent on it: others may have taken it for lost", async () => {
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
