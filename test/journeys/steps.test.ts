import { beforeEach, describe, expect, test } from "vitest";
import { steps } from "../../src/systems/index.ts";
import { type Platform, startPlatform, systemOfStep } from "../support/platform.ts";

let platform: Platform;
beforeEach(async () => {
  platform = await startPlatform();
});

describe("the nine steps, over HTTP", () => {
  test("each example of each step works unchanged with a connection to the sandbox", async () => {
    for (const step of steps) {
      expect(step.examples.length, step.id).toBeGreaterThan(0);
      for (const example of step.examples) {
        const { status, body } = await platform.run(step.id, example.input);
        expect({ step: step.id, title: example.title, status, run: body.status, problem: body.problem }).toEqual({
          step: step.id,
          title: example.title,
          status: 200,
          run: "succeeded",
          problem: undefined,
        });
        expect(body.run_id).toMatch(/^run_us_/);
      }
    }
  });

  test("a dry run shows the request with its credential masked, and sends nothing", async () => {
    for (const step of steps) {
      const sandbox = platform.sandboxes[systemOfStep(step.id)];
      await sandbox.control("reset", {});
      const { status, body } = await platform.run(step.id, step.examples[0]?.input ?? {}, { dry_run: true });
      expect(status, step.id).toBe(200);
      expect(body.request.headers.authorization).toBe("Bearer [secret]");
      expect(body.request.url.startsWith(sandbox.url)).toBe(true);
      expect(body).toMatchObject({ policy: { allowed: true }, cost: { calls: expect.any(Number) } });
      expect(body.run_id).toBeUndefined();
      expect(await sandbox.requests()).toEqual([]);
    }
  });

  // "`countingMethod` is required by the vendor's schema for key events: API Call says so before sending."
  test("a key event without its counting method is announced before it is sent, and again in the answer", async () => {
    const told = [expect.stringMatching(/no `countingMethod`, which the system requires.*`ONCE_PER_EVENT` is sent/)];
    const endpoint = "v1beta/properties/1000/keyEvents";
    const run = (body: object, more = {}) =>
      platform.run("analytics_api_call", { method: "POST", endpoint, body }, more).then((answer) => answer.body);
    const dry = await run({ eventName: "login" }, { dry_run: true });
    expect(dry).toMatchObject({ warnings: told, request: { body: { countingMethod: "ONCE_PER_EVENT" } } });
    expect((await run({ eventName: "login", countingMethod: "ONCE_PER_SESSION" }, { dry_run: true })).warnings).toEqual(
      [],
    );
    expect(await run({ eventName: "login" })).toMatchObject({ status: "succeeded", warnings: told });
  });

  test("the run is stored with its attempts, and without secrets", async () => {
    const { body } = await platform.run("list_deployments", { limit: 2 });
    const kept = await platform.call(`runs/${body.run_id}/get`);
    expect(kept.body).toMatchObject({
      run_id: body.run_id,
      status: "succeeded",
      steps: [{ step: "list_deployments", attempts: [{ request: { method: "GET" }, response: { status: 200 } }] }],
    });
    expect(kept.text).not.toContain(platform.sandboxes.deployment.credentials.token);
    const listed = await platform.call("runs/list", { limit: 1 });
    expect(listed.body.results[0].run_id).toBe(body.run_id);
  });

  // "Never log values": a sensitive variable cannot be read at the platform, so it must not be readable here.
  test.each([
    ["POST", { key: "CANARY_ONE", value: "canary-of-a-variable", type: "sensitive", target: ["production"] }],
    ["POST", [{ key: "CANARY_TWO", value: "canary-of-a-variable", type: "encrypted", target: ["preview"] }]],
    ["PATCH", { value: "canary-of-a-variable" }],
  ])("the value of a variable (%s) is sent, and stored nowhere", async (method, variable) => {
    const list = await platform.run("deployment_api_call", { method: "GET", path: "/v9/projects/web/env" });
    const encrypted = list.body.output.body.envs.find(({ type }: { type: string }) => type === "encrypted");
    const path = method === "POST" ? "/v10/projects/web/env" : `/v9/projects/web/env/${encrypted.id}`;
    const { body } = await platform.run("deployment_api_call", { method, path, body: variable });
    expect(body.status).toBe("succeeded");
    const kept = await platform.call(`runs/${body.run_id}/get`);
    expect(kept.text).toContain("[secret]");
    expect(kept.text).not.toContain("canary-of-a-variable");
  });

  test("bad input is refused before a run is created", async () => {
    const before = (await platform.call("runs/list", {})).body.results.length;
    const answers = await Promise.all([
      platform.run("cancel_deployment", {}),
      platform.run("cancel_deployment", { deployment_id: "../projects" }),
      platform.run("run_reports", { property_id: "UA-1234-1", metrics: ["sessions"], date_range: {} }),
      platform.run("deployment_api_call", { method: "GET", path: "https://evil.example/v9/projects" }),
      platform.run("marketing_api_call", { method: "PUT", endpoint: "/rest/v1/leads.json" }),
      platform.run("list_deployments", { limit: 2, nonsense: true }),
      platform.run("list_deployments", {}, { connection: platform.connections.marketing }),
      platform.run("list_deployments", {}, { connection: "con_us_nothere" }),
      platform.call("steps/no_such_step/run", { connection_id: platform.connections.marketing, input: {} }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 422, 400, 422, 422, 422, 422, 404, 404]);
    for (const { body } of answers) expect(body.remedy).toEqual(expect.any(String));
    expect((await platform.call("runs/list", {})).body.results.length).toBe(before);
  });

  test("a write leaves one audit row, a read none", async () => {
    const rows = async () => (await platform.call("audit/list", { limit: 100 })).body.results.length;
    const before = await rows();
    await platform.run("list_deployments", { limit: 1 });
    expect(await rows()).toBe(before);
    const body = { input: [{ email: "audit@example.com" }] };
    const { body: run } = await platform.run("marketing_api_call", {
      method: "POST",
      endpoint: "/rest/v1/leads.json",
      body,
    });
    expect(run.status).toBe("succeeded");
    expect(await rows()).toBe(before + 1);
  });
});

test('a refusal of the deployment platform keeps its headers: "rate limit status is reported in response headers"', async () => {
  const { deployment } = platform.sandboxes;
  const headers = { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0" };
  const path = "/v9/projects";
  await deployment.control("faults", { match: { method: "GET", path }, times: 1, status: 429, headers });
  const { body } = await platform.run("deployment_api_call", { method: "GET", path }, { wait_seconds: 0 });
  expect(body).toMatchObject({ status: "failed", problem: { code: "rate_limited" }, output: { status: 429, headers } });
});

describe("a write whose answer is lost", () => {
  test("ends as outcome_unknown, is not sent again, and a person reports what happened", async () => {
    const { marketing } = platform.sandboxes;
    await marketing.control("reset", {});
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    await marketing.control("faults", { match: { method: "POST", path: endpoint }, times: 1, drop: "after" });
    const { status, body } = await platform.run("marketing_api_call", {
      method: "POST",
      endpoint,
      body: { input: { leads: [{ id: marketing.ids.lead_id }] } },
    });
    expect({ status, run: body.status, code: body.problem?.code }).toEqual({
      status: 200,
      run: "outcome_unknown",
      code: "outcome_unknown",
    });
    expect(await marketing.requests(endpoint)).toHaveLength(1);
    // "`step, outcome: happened|did_not|retry, output?`": another step's name is a mistake, and settles nothing.
    const mistaken = await platform.call(`runs/${body.run_id}/resolve`, { step: "other", outcome: "happened" });
    expect(mistaken.body.code).toBe("run_not_waiting");
    const said = { step: "marketing_api_call", outcome: "happened", output: { id: 1 } };
    const resolved = await platform.call(`runs/${body.run_id}/resolve`, said);
    expect(resolved.body).toMatchObject({ status: "succeeded", output: { id: 1 } });
    const again = await platform.call(`runs/${body.run_id}/resolve`, { outcome: "did_not" });
    expect(again.body.code).toBe("run_not_waiting");
    expect(await marketing.requests(endpoint)).toHaveLength(1);
  });

  test("a repeat with the same Idempotency-Key returns the run, and sends nothing", async () => {
    const { marketing } = platform.sandboxes;
    const input = {
      method: "POST",
      endpoint: "/rest/v1/leads.json",
      body: { input: [{ email: "once@example.com" }] },
    };
    const before = (await marketing.requests("/rest/v1/leads.json")).length;
    const first = await platform.run("marketing_api_call", input, { idempotencyKey: "lead-1" });
    const second = await platform.run("marketing_api_call", input, { idempotencyKey: "lead-1" });
    expect(second.text).toBe(first.text);
    expect(second.headers["idempotency-replayed"]).toBe("true");
    expect((await marketing.requests("/rest/v1/leads.json")).length).toBe(before + 1);
    const other = await platform.run("marketing_api_call", { ...input, body: {} }, { idempotencyKey: "lead-1" });
    expect(other.body.code).toBe("idempotency_mismatch");
  });
});

describe("a token that the system no longer accepts", () => {
  test("50 parallel steps with an expired token cause exactly one refresh, and all succeed", async () => {
    const { marketing } = platform.sandboxes;
    await marketing.control("reset", {});
    await platform.run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" });
    await marketing.control("limits", { revoke_tokens: true, concurrent_calls: null, rate_calls: null });
    const before = (await marketing.requests("/identity/oauth/token")).length;
    const runs = await Promise.all(
      Array.from({ length: 50 }, () =>
        platform.run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" }),
      ),
    );
    expect(runs.map(({ body }) => body.status)).toEqual(Array(50).fill("succeeded"));
    expect((await marketing.requests("/identity/oauth/token")).length - before).toBe(1);
  });
});

describe("policy on a connected account", () => {
  test("applies to pre-built steps, API Calls and drop-downs alike", async () => {
    const id = platform.connections.deployment;
    const policy = { rules: [{ effect: "allow", methods: ["GET"] }], only: { project: ["web"] } };
    const saved = await platform.call(`connections/${id}/update`, { policy });
    expect(saved.status).toBe(200);
    const outcomes = [
      await platform.run("deployment_api_call", { method: "GET", path: "/v9/projects/web" }),
      await platform.run("deployment_api_call", { method: "GET", path: "/v9/projects/docs" }),
      await platform.run("deployment_api_call", { method: "POST", path: "/v10/projects", body: { name: "x" } }),
      await platform.run("list_deployments", { project: "web" }),
      await platform.run("list_deployments", {}),
      await platform.run("create_deployment", { project: "web", branch: "main" }),
    ];
    expect(outcomes.map(({ body }) => body.problem?.code ?? body.status)).toEqual([
      "succeeded",
      "policy_denied",
      "policy_denied",
      "succeeded",
      "policy_denied",
      "policy_denied",
    ]);
    const dry = await platform.run("create_deployment", { project: "web", branch: "main" }, { dry_run: true });
    expect([dry.body.policy.allowed, dry.body.warnings]).toEqual([false, []]);
    await platform.call(`connections/${id}/update`, { policy: null });
    const free = await platform.run("list_deployments", {});
    expect(free.body.status).toBe("succeeded");
  });
});
