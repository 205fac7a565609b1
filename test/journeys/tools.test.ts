import { expect, test } from "vitest";
import { queueRun } from "../../src/runs/queue/start-run.ts";
import { toolDefinition } from "../../src/tools/definition.ts";
import { type Platform, startPlatform } from "../support/platform.ts";
import { describeOnBothStores } from "../support/stores.ts";

/** Until the run is no longer queued or running. */
async function endOf(platform: Platform, runId: string, until: string[] = []) {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const { body } = await platform.call(`runs/${runId}/get`);
    const isDone = until.length > 0 ? until.includes(body.status) : !["queued", "running"].includes(body.status);
    if (isDone) return body;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(
    `The run does not come to its end: ${JSON.stringify((await platform.call(`runs/${runId}/get`)).body)}`,
  );
}

const start = async (platform: Platform, definition: unknown, params: unknown = {}) => {
  const { context, store, now } = platform.app;
  const runId = await store.transaction((db) =>
    queueRun(db, {
      region: "us",
      organizationId: platform.owner.organizationId,
      projectId: platform.projectId,
      work: { kind: "tool", id: null, version: null, definition: toolDefinition.parse(definition) },
      params,
      source: { kind: "call" },
      startedBy: platform.owner.userId,
      keyId: null,
      now: now(),
    }),
  );
  context.rooms.runs.wake();
  return runId;
};

describeOnBothStores("a tool", (kind) => {
  test("runs its steps in order, with values between them, conditions and rounds", async () => {
    const platform = await startPlatform(kind);
    const { deployment, marketing } = platform.connections;
    const runId = await start(
      platform,
      {
        title: "Everything",
        params_schema: { type: "object", properties: { count: { type: "integer" } } },
        steps: [
          { name: "latest", step: "list_deployments", connection_id: deployment, input: { limit: "{{params.count}}" } },
          { name: "never", step: "list_deployments", connection_id: deployment, input: {}, if: "{{ 1 = 2 }}" },
          {
            name: "each",
            step: "deployment_api_call",
            connection_id: deployment,
            foreach: "{{ steps.latest.output.deployments }}",
            input: { method: "GET", path: "/v13/deployments/{{foreach.item.deployment_id}}" },
          },
          {
            name: "leads",
            step: "marketing_api_call",
            connection_id: marketing,
            input: { method: "GET", endpoint: "/rest/v1/lists.json" },
          },
        ],
        output: { ids: "{{ steps.each.output.body.id }}", skipped: "{{ steps.never.status }}" },
      },
      { count: 2 },
    );
    const run = await endOf(platform, runId);
    expect(run.problem).toBeUndefined();
    expect(run).toMatchObject({ status: "succeeded", output: { skipped: "skipped" } });
    expect(run.output.ids).toHaveLength(2);
    expect(run.steps.map((step: { status: string }) => step.status)).toEqual([
      "succeeded",
      "skipped",
      "succeeded",
      "succeeded",
    ]);
    expect(run.steps[2].attempts).toHaveLength(2);
  });

  test("asks a person, shows the exact request, and continues when they approve", async () => {
    const platform = await startPlatform(kind);
    const connection_id = platform.connections.marketing;
    const write = {
      method: "POST",
      endpoint: "/rest/v1/leads.json",
      body: { input: [{ email: "asked@example.com" }] },
    };
    const definition = {
      title: "Asks",
      params_schema: { type: "object" },
      steps: [
        { name: "ask", step: "approve", input: { message: "May I?" } },
        { name: "write", step: "marketing_api_call", connection_id, input: write },
      ],
    };
    const first = await start(platform, definition);
    const waiting = await endOf(platform, first);
    expect(waiting).toMatchObject({
      status: "waiting",
      waiting_for: { kind: "approval", detail: "May I?", request: { method: "POST", body: write.body } },
    });
    expect(await platform.sandboxes.marketing.requests("/rest/v1/leads.json")).toHaveLength(0);
    const approved = await platform.call(`runs/${first}/approve`, { approved: true });
    expect(approved.status).toBe(200);
    expect((await endOf(platform, first)).status).toBe("succeeded");
    expect(await platform.sandboxes.marketing.requests("/rest/v1/leads.json")).toHaveLength(1);

    const second = await start(platform, definition);
    await endOf(platform, second);
    await platform.call(`runs/${second}/approve`, { approved: false });
    expect(await endOf(platform, second)).toMatchObject({ status: "failed", problem: { code: "not_approved" } });
    expect(await platform.sandboxes.marketing.requests("/rest/v1/leads.json")).toHaveLength(1);
  });

  test("waits for a person after a lost response, and continues as they decide", async () => {
    const platform = await startPlatform(kind);
    const { marketing } = platform.sandboxes;
    const connection_id = platform.connections.marketing;
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    const definition = {
      title: "Triggers",
      params_schema: { type: "object" },
      steps: [
        {
          name: "fire",
          step: "marketing_api_call",
          connection_id,
          input: { method: "POST", endpoint, body: { input: { leads: [{ id: marketing.ids.lead_id }] } } },
        },
        {
          name: "after",
          step: "marketing_api_call",
          connection_id,
          input: { method: "GET", endpoint: "/rest/v1/lists.json" },
        },
      ],
    };
    await marketing.control("faults", { match: { method: "POST", path: endpoint }, times: 2, drop: "after" });
    const runId = await start(platform, definition);
    expect(await endOf(platform, runId)).toMatchObject({
      status: "outcome_unknown",
      waiting_for: { kind: "person", step: "fire" },
    });
    await platform.call(`runs/${runId}/resolve`, { step: "fire", outcome: "happened", output: { status: 200 } });
    const ended = await endOf(platform, runId);
    expect(ended).toMatchObject({ status: "succeeded", steps: [{ output: { status: 200 } }, { status: "succeeded" }] });
    expect(await marketing.requests(endpoint)).toHaveLength(1);

    const again = await start(platform, definition);
    await endOf(platform, again);
    await platform.call(`runs/${again}/resolve`, { outcome: "retry" });
    expect((await endOf(platform, again)).status).toBe("succeeded");
    expect(await marketing.requests(endpoint)).toHaveLength(3);
  });

  test("announces its end to webhooks", async () => {
    const platform = await startPlatform(kind);
    const wish = { url: "https://hooks.example.com/signalbox", events: ["run.succeeded", "run.waiting"] };
    const { body: hook } = await platform.call("webhooks/create", wish);
    const steps = [{ name: "now", step: "wait", input: { seconds: 0 } }];
    const runId = await start(platform, { title: "Short", params_schema: { type: "object" }, steps });
    expect((await endOf(platform, runId)).status).toBe("succeeded");
    const { body } = await platform.call(`webhooks/${hook.webhook_id}/deliveries`);
    expect(body.results).toMatchObject([{ type: "run.succeeded" }]);
  });

  test("can be cancelled while it waits, and replayed from a step", async () => {
    const platform = await startPlatform(kind);
    const connection_id = platform.connections.deployment;
    const runId = await start(platform, {
      title: "Waits",
      params_schema: { type: "object" },
      steps: [
        { name: "look", step: "list_deployments", connection_id, input: { limit: 1 } },
        { name: "rest", step: "wait", input: { seconds: 3600 } },
      ],
    });
    expect(await endOf(platform, runId)).toMatchObject({ status: "waiting", waiting_for: { kind: "time" } });
    const cancelled = await platform.call(`runs/${runId}/cancel`, {});
    expect(cancelled.body.status).toBe("cancelled");
    expect((await platform.call(`runs/${runId}/cancel`, {})).body.code).toBe("run_ended");
    const before = (await platform.sandboxes.deployment.requests("/v6/deployments")).length;
    const { body } = await platform.call(`runs/${runId}/replay`, { from_step: "rest" });
    expect(await endOf(platform, body.run_id)).toMatchObject({ status: "waiting" });
    expect((await platform.sandboxes.deployment.requests("/v6/deployments")).length).toBe(before);
  });

  test("waits for a deployment without a worker", async () => {
    const platform = await startPlatform(kind);
    const connection_id = platform.connections.deployment;
    const runId = await start(platform, {
      title: "Deploys",
      params_schema: { type: "object" },
      steps: [
        { name: "make", step: "create_deployment", connection_id, input: { project: "web", branch: "main" } },
        {
          name: "ready",
          step: "wait_for_deployment",
          connection_id,
          input: { deployment_id: "{{steps.make.output.deployment_id}}" },
        },
      ],
    });
    await endOf(platform, runId, ["waiting"]);
    await platform.sandboxes.deployment.control("clock", { advance_seconds: 3600 });
    platform.app.advance(60);
    platform.app.context.rooms.runs.wake();
    const run = await endOf(platform, runId, ["succeeded", "failed"]);
    expect(run.steps[1]).toMatchObject({ status: "succeeded", output: { state: "READY" } });
  });
});
