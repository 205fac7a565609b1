import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { creating, makesProperty, propertiesMade } from "../../test/support/systems/lost-property.ts";
import { listOpenRecords, saveRecord } from "./journal/journal.ts";
import { cancelledWrites } from "./outcome/cancelled-writes.ts";
import { requestCancel } from "./runs.store.ts";

/** A run whose write lost its answer, and that no probe can settle. */
async function unknownRun(platform: Platform): Promise<string> {
  await platform.sandboxes.deployment.control("faults", { match: { method: "POST", path: pausing }, drop: "after" });
  const { deployment: connection_id } = platform.connections;
  const step = { name: "pause", step: "deployment_api_call", connection_id, input: { method: "POST", path: pausing } };
  const runId = await queueTool(
    platform,
    aTool([step, { name: "after", step: "approve", input: { message: "Go on?" } }]),
  );
  await runOnce(platform, runId, "outcome_unknown");
  return runId;
}

const pausing = "/v1/projects/web/pause";

const openIntents = async ({ app }: Platform) =>
  (await app.store.query("select 1 as one from write_intents where settled_at is null")).length;

const openSteps = async ({ app }: Platform, runId: string) =>
  app.store.query("select name, status from run_steps where run_id = $1 and finished_at is null", [runId]);

// "The cancel must settle the intent (look/unknown) and name the open write in the run's end."
describeOnBothStores("a run that is cancelled with an open write", (kind) => {
  test("that a person should decide says that the write may have been carried out, and waits for nobody", async () => {
    const platform = await startPlatform(kind);
    const { body: hook } = await platform.call("webhooks/create", {
      url: "https://hooks.example.com/signalbox",
      events: ["run.cancelled"],
    });
    const runId = await unknownRun(platform);
    const { body: run } = await platform.call(`runs/${runId}/cancel`);
    expect(run).toMatchObject({
      status: "cancelled",
      problem: {
        code: "outcome_unknown",
        detail: expect.stringMatching(
          /^The run was cancelled\. The write of the step pause may have been carried out\./,
        ),
        remedy: expect.stringContaining("Check the system"),
      },
      steps: [{ name: "pause", status: "outcome_unknown", finished_at: expect.any(String) }],
    });
    expect(await openSteps(platform, runId)).toEqual([]);
    const { results } = (await platform.call(`webhooks/${hook.webhook_id}/deliveries`)).body;
    expect(results.map((each: { body: { data: object } }) => each.body.data)).toMatchObject([
      { run_id: runId, status: "cancelled", problem: "outcome_unknown" },
    ]);
    // A replay from a later step must not take it for done.
    const { body: refused } = await platform.call(`runs/${runId}/replay`, { from_step: "after" });
    expect(refused.errors).toMatchObject([{ pointer: "#/from_step", code: "unfinished_step" }]);
  });

  test("that is looked for at this moment settles its intent, and names the write", async () => {
    const platform = await startPlatform(kind);
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    await runOnce(platform, runId, "waiting");
    expect(await openIntents(platform)).toBe(1);
    const { body: run } = await platform.call(`runs/${runId}/cancel`);
    expect(run).toMatchObject({ status: "cancelled", problem: { code: "outcome_unknown" } });
    expect(run.problem.detail).toContain("The write of the step make may have been carried out");
    expect(run.problem.detail).toContain("not there yet");
    expect([await openIntents(platform), await openSteps(platform, runId)]).toEqual([0, []]);
    expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 0 });
  });

  test.each([
    ["is found at the system, ends without a doubt", "after", "succeeded", null],
    ["is not there, says that it may still be carried out", "before", "outcome_unknown", "outcome_unknown"],
  ] as const)("while a worker holds it, and %s", async (_, drop, status, code) => {
    const platform = await startPlatform(kind);
    const { store, now } = platform.app;
    await platform.sandboxes.analytics.control("faults", { match: creating, drop });
    const runId = await queueTool(platform, makesProperty(platform));
    const { steps } = await runOnce(platform, runId, "waiting", "succeeded");
    // As its worker left it that died during the write.
    const { response: _response, problem: _problem, ...intent } = steps[0].attempts[0];
    await store.transaction(async (db) => {
      await db.query(
        "update run_steps set attempts = $2, status = 'running', problem = null, output = null, finished_at = null where run_id = $1",
        [runId, JSON.stringify([intent])],
      );
      await db.query(
        "update runs set status = 'queued', waiting_for = null, output = null, finished_at = null where id = $1",
        [runId],
      );
      await requestCancel(db, platform.projectId, runId, now());
    });
    const run = await runOnce(platform, runId, "cancelled");
    expect(run.steps).toMatchObject([{ name: "make", status, finished_at: expect.any(String) }]);
    expect(run.problem?.code ?? null).toBe(code);
    expect([await openIntents(platform), await openSteps(platform, runId)]).toEqual([0, []]);
    expect((await propertiesMade(platform)).asked).toBe(1);
  });

  // The end of its open steps and that of the run may be two commits.
  test("whose worker dies once the step has ended is cancelled all the same, and names the write", async () => {
    const platform = await startPlatform(kind);
    const { store, now } = platform.app;
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    await runOnce(platform, runId, "waiting");
    await store.transaction(async (db) => {
      const [open] = await listOpenRecords(db, runId);
      for (const record of cancelledWrites(open ? [open] : [], now()).records) await saveRecord(db, record);
      await requestCancel(db, platform.projectId, runId, now());
    });
    const run = await runOnce(platform, runId, "cancelled", "outcome_unknown");
    expect(run).toMatchObject({ status: "cancelled", problem: { code: "outcome_unknown" } });
    expect(run.problem.detail).toMatch(
      /^The run was cancelled\. The write of the step make may have been carried out\. /,
    );
    expect(run.problem.detail.match(/was cancelled/g)).toHaveLength(1);
    expect((await propertiesMade(platform)).asked).toBe(1);
  });

  test("in a single step names it, too", async () => {
    const platform = await startPlatform(kind);
    await platform.sandboxes.deployment.control("faults", { match: { method: "POST", path: pausing }, drop: "after" });
    const lost = await platform.run("deployment_api_call", { method: "POST", path: pausing });
    const runId = lost.body.run_id as string;
    expect((await platform.call(`runs/${runId}/get`)).body.status).toBe("outcome_unknown");
    const { body: run } = await platform.call(`runs/${runId}/cancel`);
    expect([run.status, run.problem.code]).toEqual(["cancelled", "outcome_unknown"]);
    expect(run.problem.detail).toContain("The write of the step deployment_api_call may have been carried out");
  });
});
