import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import {
  creating,
  makesProperty,
  propertiesMade,
  propertiesPath,
  propertyInput,
} from "../../../test/support/systems/lost-property.ts";

const triesBefore = 3;

/** A run whose workers died this often during its write; a minute later, a probe may believe that it is not there. */
async function afterDeaths(platform: Platform, deaths: number, more: object = {}): Promise<string> {
  const { store, advance, now } = platform.app;
  await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
  const runId = await queueTool(platform, makesProperty(platform, more));
  const { steps } = await runOnce(platform, runId, "waiting");
  const { response: _, problem: _problem, ...intent } = steps[0].attempts[0];
  expect(intent.effect).not.toBe("read");
  await store.transaction(async (db) => {
    await db.query(
      "update run_steps set attempts = $2, status = 'running', problem = null, tries = $3 where run_id = $1",
      [runId, JSON.stringify(Array(deaths).fill(intent)), triesBefore],
    );
    await db.query("update runs set status = 'queued', waiting_for = null, run_at = $2 where id = $1", [
      runId,
      now().toISOString(),
    ]);
  });
  advance(60);
  const { waiting_for } = await runOnce(platform, runId, "waiting", "succeeded", "failed");
  expect(waiting_for).toMatchObject({ kind: "retry", detail: expect.stringContaining("not there yet") });
  expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 0 });
  advance(11);
  return runId;
}

// "A write without an outcome is first reconciled by the step's own probe, then, if that cannot tell, becomes outcome_unknown."
describeOnBothStores("an answer that is cut off", (kind) => {
  test("of a write that happened is found by a probe, and the run continues", async () => {
    const platform = await startPlatform(kind);
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "after" });
    const runId = await queueTool(platform, makesProperty(platform));
    const run = await runOnce(platform, runId, "succeeded", "outcome_unknown", "waiting");
    expect(run).toMatchObject({ status: "succeeded", output: { display_name: "Winter sale" } });
    expect(run.steps[0].warnings).toEqual([expect.stringContaining("The response was lost")]);
    expect(run.steps[0].attempts.length).toBeGreaterThan(1);
    expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 1 });
  });

  test("of a write that did not happen is sent again, but not before it must have arrived", async () => {
    const platform = await startPlatform(kind);
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    expect(await runOnce(platform, runId, "waiting")).toMatchObject({
      waiting_for: { kind: "retry", step: "make", until: expect.any(String) },
    });
    platform.app.advance(11);
    await runOnce(platform, runId, "waiting");
    await expect
      .poll(async () => (await platform.call(`runs/${runId}/get`)).body.waiting_for?.detail)
      .toMatch(/the write did not happen/);
    platform.app.advance(11);
    await runOnce(platform, runId, "succeeded");
    expect(await propertiesMade(platform)).toEqual({ asked: 2, there: 1 });
  });

  test("because its worker died is sent again, which does not count as a failure of the system", async () => {
    const platform = await startPlatform(kind);
    const runId = await afterDeaths(platform, 19);
    await runOnce(platform, runId, "succeeded", "failed");
    expect(await platform.app.store.query("select status, tries from run_steps where run_id = $1", [runId])).toEqual([
      { status: "succeeded", tries: triesBefore },
    ]);
    expect(await propertiesMade(platform)).toEqual({ asked: 2, there: 1 });
  });

  test("because twenty workers died is not sent again", async () => {
    const platform = await startPlatform(kind);
    const { status, problem } = await runOnce(platform, await afterDeaths(platform, 20), "succeeded", "failed");
    expect([status, problem.code, problem.detail]).toEqual([
      "failed",
      "system_unavailable",
      expect.stringContaining("the write did not happen"),
    ]);
    expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 0 });
  });

  test("because its worker died is not sent again after the step's timeout", async () => {
    const platform = await startPlatform(kind);
    const runId = await afterDeaths(platform, 1, { timeout: 30 });
    const { status, problem } = await runOnce(platform, runId, "succeeded", "failed");
    expect([status, problem.code]).toEqual(["failed", "timed_out"]);
    expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 0 });
  });

  // To send it again might undo what others have changed since.
  test("because its worker died, of a write that no probe can tell, asks a person, though a repeat would do no harm", async () => {
    const platform = await startPlatform(kind);
    const { store, now } = platform.app;
    const path = "/v10/projects/web/env";
    const body = { key: "KEPT", value: "1", type: "plain", target: ["preview"] };
    const input = { method: "POST", path, query: { upsert: true }, body };
    const { deployment: connection_id } = platform.connections;
    const step = { name: "set", step: "deployment_api_call", connection_id, input };
    const runId = await queueTool(platform, aTool([step]));
    const { steps } = await runOnce(platform, runId, "succeeded");
    const { response: _, ...intent } = steps[0].attempts[0];
    await store.transaction(async (db) => {
      const open = "attempts = $2, status = 'running', output = null, finished_at = null";
      await db.query(`update run_steps set ${open} where run_id = $1`, [runId, JSON.stringify([intent])]);
      const queued = "status = 'queued', run_at = $2, output = null, finished_at = null";
      await db.query(`update runs set ${queued} where id = $1`, [runId, now().toISOString()]);
    });
    const run = await runOnce(platform, runId, "outcome_unknown", "failed");
    expect([run.status, run.problem.code]).toEqual(["outcome_unknown", "outcome_unknown"]);
    const sent = await platform.sandboxes.deployment.requests(path);
    expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("is probed again if the probe fails, and a person is asked only after several probes", async () => {
    const platform = await startPlatform(kind);
    const { analytics } = platform.sandboxes;
    await analytics.control("faults", { match: creating, drop: "after" });
    const refuses = {
      status: 429,
      headers: { "retry-after": "20" },
      body: { error: { status: "RESOURCE_EXHAUSTED" } },
    };
    await analytics.control("faults", { match: { method: "GET", path: propertiesPath }, times: 100, ...refuses });
    const runId = await queueTool(platform, makesProperty(platform));
    const probes = [];
    for (let turn = 0; turn < 10; turn++) {
      const run = await runOnce(platform, runId, "waiting", "outcome_unknown");
      probes.push(run.status);
      if (run.status === "outcome_unknown") break;
      const until = new Date(run.waiting_for.until).getTime() - platform.app.now().getTime();
      platform.app.advance(until / 1000 + 1);
      // The next probe has a later time.
      await expect
        .poll(async () => {
          platform.app.context.rooms.runs.wake();
          const { body } = await platform.call(`runs/${runId}/get`);
          return (
            body.status === "outcome_unknown" ||
            (body.waiting_for?.until ?? run.waiting_for.until) > run.waiting_for.until
          );
        })
        .toBe(true);
    }
    expect(probes).toEqual([...Array(5).fill("waiting"), "outcome_unknown"]);
    expect((await platform.call(`runs/${runId}/get`)).body.problem.detail).toContain("6 times");
  });

  test("is probed for as long as our own limits refuse: waiting for a limit is no failed probe", async () => {
    const platform = await startPlatform(kind);
    const { app, connections, sandboxes } = platform;
    const leads = { method: "POST", path: "/rest/v1/leads.json" };
    await sandboxes.marketing.control("faults", { match: leads, drop: "before" });
    const body = { action: "createOnly", lookupField: "email", input: [{ email: "late@example.com" }] };
    const wish = { method: "POST", endpoint: leads.path, body };
    const step = { name: "make", step: "marketing_api_call", connection_id: connections.marketing, input: wish };
    const runId = await queueTool(platform, aTool([step], {}));
    await runOnce(platform, runId, "waiting");
    const limited = await platform.call(`connections/${connections.marketing}/update`, {
      settings: { daily_quota: 1 },
    });
    expect(limited.status).toBe(200);
    const next = async (before: string) => {
      await app.store.transaction((db) =>
        db.query("update runs set run_at = $2 where id = $1 and status = 'waiting'", [runId, app.now().toISOString()]),
      );
      app.context.rooms.runs.wake();
      let waiting: { until: string } | undefined;
      const until = async () => {
        waiting = (await platform.call(`runs/${runId}/get`)).body.waiting_for ?? waiting;
        return waiting?.until ?? before;
      };
      await expect.poll(until).not.toBe(before);
      return waiting;
    };
    let until = "";
    for (let probe = 1; probe <= 8; probe++) {
      app.advance(1);
      const waiting = await next(until);
      if (probe > 1) expect(waiting).toMatchObject({ kind: "limit", detail: expect.stringContaining("used up") });
      until = waiting?.until ?? "";
    }
    await platform.call(`connections/${connections.marketing}/update`, { settings: { daily_quota: null } });
    // The first probe that fails at the system is the first of six.
    const broken = { status: 200, body: "<html>This is not JSON." };
    await sandboxes.marketing.control("faults", { match: { method: "GET", path: leads.path }, ...broken });
    app.advance(1);
    expect(await next(until)).toMatchObject({ kind: "retry" });
    await app.store.transaction((db) =>
      db.query("update runs set run_at = $2 where id = $1", [runId, app.now().toISOString()]),
    );
    const seen = await runOnce(platform, runId, "waiting", "succeeded", "outcome_unknown");
    expect(seen.status).not.toBe("outcome_unknown");
  });

  test("of a single step is probed within the time that its call may wait", async () => {
    const platform = await startPlatform(kind);
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "after" });
    const { body } = await platform.run("create_properties", propertyInput);
    expect(body).toMatchObject({
      status: "succeeded",
      output: { display_name: "Winter sale" },
      warnings: [expect.stringContaining("The response was lost")],
    });
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const hurried = await platform.run(
      "create_properties",
      { ...propertyInput, display_name: "Other" },
      { wait_seconds: 1 },
    );
    expect(hurried.body).toMatchObject({ status: "outcome_unknown", problem: { code: "outcome_unknown" } });
    expect(await propertiesMade(platform)).toEqual({ asked: 2, there: 1 });
  });
});
