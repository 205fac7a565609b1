import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

describeOnBothStores("a step with a timeout", (kind) => {
  test("fails when its time is over, whether it waits for a person, a time or a system", async () => {
    const platform = await startPlatform(kind);
    const connection_id = platform.connections.deployment;
    const ask = { name: "ask", step: "approve", timeout: 60, input: { message: "May I?" } };
    const asking = await queueTool(platform, aTool([ask]));
    const rests = { name: "rest", step: "wait", timeout: 60, input: { seconds: 3600 } };
    const resting = await queueTool(platform, aTool([rests]));
    for (const runId of [asking, resting]) await runOnce(platform, runId, "waiting");
    platform.app.advance(61);
    for (const runId of [asking, resting]) {
      expect((await runOnce(platform, runId, "failed")).problem.code).toBe("timed_out");
    }

    const match = { method: "GET", path: "/v6/deployments" };
    await platform.sandboxes.deployment.control("faults", { match, times: 9, delay_ms: 30_000 });
    const slow = { name: "slow", step: "list_deployments", connection_id, timeout: 1, input: {} };
    const looking = await queueTool(platform, aTool([slow]));
    expect((await runOnce(platform, looking, "failed")).problem.code).toBe("timed_out");
  });

  test("refuses a wait beyond the calendar instead of retrying it for ever", async () => {
    const platform = await startPlatform(kind);
    const until = "9999-12-31T23:59:59-12:00";
    const runId = await queueTool(
      platform,
      aTool([{ name: "rest", step: "wait", input: { until: `{{"${until}"}}` } }]),
    );
    expect((await runOnce(platform, runId, "failed")).problem.code).toBe("invalid_input");
  });
});

describeOnBothStores("a system that asks for a pause", (kind) => {
  test("longer than the calendar gets a month at most, and no run fails over it", async () => {
    const platform = await startPlatform(kind);
    const match = { method: "GET", path: "/v6/deployments" };
    const headers = { "retry-after": "99999999999999", "x-ratelimit-reset": "99999999999999" };
    const answer = { status: 429, headers, body: { error: { code: "rate_limited", message: "Not now." } } };
    await platform.sandboxes.deployment.control("faults", { match, times: 1, ...answer });
    const { status, body } = await platform.run("list_deployments", {}, { wait_seconds: 1 });
    expect([status, body.status, body.problem.code]).toEqual([200, "failed", "quota_exhausted"]);
    const days = (Date.parse(body.problem.retry_at) - platform.app.now().getTime()) / 86_400_000;
    expect(Math.round(days)).toBe(31);
  });
});

// "The output of a `foreach` is an array": however many items its expression finds.
describeOnBothStores("a foreach", (kind) => {
  test("iterates over the many, one or no items that an expression finds, and over nothing but lists otherwise", async () => {
    const platform = await startPlatform(kind);
    const connection_id = platform.connections.deployment;
    const iterationsOf = async (foreach: string, status: string) => {
      const list = { name: "latest", step: "list_deployments", connection_id, input: { project: "web", limit: 3 } };
      const each = { name: "each", step: "deployment_api_call", connection_id, foreach };
      const input = { method: "GET", path: "/v2/user", query: { of: "{{foreach.item}}" } };
      const runId = await queueTool(platform, aTool([list, { ...each, input }]));
      return (await runOnce(platform, runId, status)).output?.length;
    };
    const deployments = "steps.latest.output.deployments";
    expect(await iterationsOf(`{{${deployments}.deployment_id}}`, "succeeded")).toBe(3);
    expect(await iterationsOf(`{{${deployments}[0].deployment_id}}`, "failed")).toBeUndefined();
    expect(await iterationsOf(`{{${deployments}[[0..0]].deployment_id}}`, "succeeded")).toBe(1);
    expect(await iterationsOf(`{{${deployments}[state='NONE'].deployment_id}}`, "succeeded")).toBe(0);
    expect(await iterationsOf("{{params}}", "failed")).toBeUndefined();
  });
});

describeOnBothStores("an approval", (kind) => {
  // "A step whose `if` is false ends `skipped`": there is no request to show, and none to approve.
  test("is also required before a step that will be skipped, and allows nothing that was not shown", async () => {
    const platform = await startPlatform(kind);
    const { deployment } = platform.sandboxes;
    const path = "/v2/user";
    const before = (await deployment.requests(path)).length;
    const guarded = (condition: string) =>
      aTool([
        { name: "ask", step: "approve", input: { message: "May I?" } },
        {
          name: "send",
          step: "deployment_api_call",
          connection_id: platform.connections.deployment,
          if: condition,
          input: { method: "GET", path: "{{params.path}}" },
        },
      ]);
    const skipped = await queueTool(platform, guarded("{{$exists(params.path)}}"));
    expect((await runOnce(platform, skipped, "waiting")).waiting_for.request).toBeUndefined();
    await platform.call(`runs/${skipped}/approve`, { approved: true });
    expect((await runOnce(platform, skipped, "succeeded")).steps[1].status).toBe("skipped");

    const sly = guarded("{{$exists(steps.ask.output.approved_by)}}");
    const { steps } = sly as { steps: { input: object }[] };
    Object.assign(steps[1]?.input ?? {}, { path });
    const hidden = await queueTool(platform, sly);
    await runOnce(platform, hidden, "waiting");
    await platform.call(`runs/${hidden}/approve`, { approved: true });
    expect((await runOnce(platform, hidden, "failed")).problem.code).toBe("not_approved");
    expect(await deployment.requests(path)).toHaveLength(before);

    Object.assign(steps[1] ?? {}, { if: "{{steps.ask.output.approved}}" });
    const shown = await queueTool(platform, sly);
    expect((await runOnce(platform, shown, "waiting")).waiting_for.request.url).toContain(path);
    await platform.call(`runs/${shown}/approve`, { approved: true });
    await runOnce(platform, shown, "succeeded");
    expect(await deployment.requests(path)).toHaveLength(before + 1);

    // What the request lacks until it is sent is named to the person who approves.
    Object.assign(steps[1] ?? {}, { step: "create_deployment", input: { project: "web" } });
    const lacking = await queueTool(platform, sly);
    const { waiting_for: wait } = await runOnce(platform, lacking, "waiting");
    expect(wait.request).toMatchObject({ method: "POST", reads_first: expect.stringContaining("repository") });
  });

  test("shows every request of a foreach, and covers these and no others", async () => {
    const platform = await startPlatform(kind);
    const { deployment } = platform.sandboxes;
    const path = "/v2/user";
    const before = (await deployment.requests(path)).length;
    const each = (query: string) =>
      aTool([
        { name: "ask", step: "approve", input: { message: "May I?" } },
        { name: "rest", step: "wait", input: { seconds: 0 } },
        {
          name: "each",
          step: "deployment_api_call",
          connection_id: platform.connections.deployment,
          foreach: [1, 2],
          input: { method: "GET", path, query: { n: query } },
        },
      ]);
    const exact = await queueTool(platform, each("{{foreach.item}}"));
    const { waiting_for: asked } = await runOnce(platform, exact, "waiting");
    expect(asked.request.count).toBe(2);
    expect(asked.request.requests.map(({ url }: { url: string }) => new URL(url).searchParams.get("n"))).toEqual([
      "1",
      "2",
    ]);
    await platform.call(`runs/${exact}/approve`, { approved: true });
    await runOnce(platform, exact, "succeeded");
    expect(await deployment.requests(path)).toHaveLength(before + 2);

    const other = await queueTool(platform, each("{{ $random() }}"));
    await runOnce(platform, other, "waiting");
    await platform.call(`runs/${other}/approve`, { approved: true });
    expect((await runOnce(platform, other, "failed")).problem.code).toBe("not_approved");
    expect(await deployment.requests(path)).toHaveLength(before + 2);
  });
});

describeOnBothStores("a write whose answer was lost", (kind) => {
  test("keeps its outcome unknown if its connection was removed meanwhile: it may have happened", async () => {
    const platform = await startPlatform(kind);
    const { store } = platform.app;
    const input = { account_id: "100", display_name: "Winter sale", time_zone: "Asia/Tokyo", currency_code: "JPY" };
    const connection_id = platform.connections.analytics;
    const match = { method: "POST", path: "/v1beta/properties" };
    await platform.sandboxes.analytics.control("faults", { match, drop: "before" });
    const runId = await queueTool(platform, aTool([{ name: "make", step: "create_properties", connection_id, input }]));
    await runOnce(platform, runId, "waiting");
    await store.transaction((db) =>
      db.query("update runs set definition = replace(definition, $2, 'con_us_gone') where id = $1", [
        runId,
        connection_id,
      ]),
    );
    platform.app.advance(3600);
    expect(await runOnce(platform, runId, "outcome_unknown", "failed")).toMatchObject({
      status: "outcome_unknown",
      waiting_for: { kind: "person", step: "make" },
    });
  });
});
