import { expect, test } from "vitest";
import { startPlatform } from "../support/platform.ts";
import { runOnce } from "../support/runs/runs.ts";
import { describeOnBothStores } from "../support/stores.ts";
import { answerJson, type Handle, type Rogue, redirectTo, rogueToken, startRogue } from "../support/systems/rogue.ts";
import { asRole } from "../support/team.ts";

const denyAll = { rules: [{ effect: "deny", methods: ["GET", "POST"], reason: "Closed for today." }] };

/** "Judgement right before sending: connection, policy and owner are read again after every wait." */
describeOnBothStores("a call that had to wait", (kind) => {
  /** Does something while the first answer is awaited, which asks to come again in a second. */
  const meanwhile = (rogue: Rogue, change: () => Promise<unknown>): Handle => {
    const again = answerJson(429, { error: { code: "rate_limited", message: "slow down" } }, { "retry-after": "1" });
    return async (request, response) => {
      if (rogue.arrived.length === 1) await change();
      again(request, response);
    };
  };
  const setPolicy = (rogue: Rogue, policy: unknown) =>
    rogue.call(`connections/${rogue.connectionId}/update`, { policy });

  test("is not sent again if its policy now denies it", async () => {
    const rogue = await startRogue(kind);
    rogue.says(meanwhile(rogue, () => setPolicy(rogue, denyAll)));
    const { body } = await rogue.api({ method: "GET" });
    expect(body.problem).toMatchObject({ code: "policy_denied", detail: "Closed for today." });
    expect(rogue.arrived).toHaveLength(1);
  });

  test("is not sent again if its account was removed", async () => {
    const rogue = await startRogue(kind);
    rogue.says(meanwhile(rogue, () => rogue.call(`connections/${rogue.connectionId}/remove`)));
    const { body } = await rogue.api({ method: "GET" });
    expect(body.problem.code).toBe("needs_reconnect");
    expect(rogue.arrived).toHaveLength(1);
  });

  test("is not sent again if its caller was deactivated or may no longer run steps", async () => {
    for (const [act, code] of [
      ["deactivate", "owner_deactivated"],
      ["demote", "owner_not_allowed"],
    ] as const) {
      const rogue = await startRogue(kind);
      const editor = await joinAs(rogue, "editor");
      const change = () =>
        act === "deactivate"
          ? rogue.call("organizations/users/deactivate", { user_id: editor.userId })
          : rogue.call(`auth/users/${editor.userId}/update`, { permissions: asRole("viewer") });
      rogue.says(
        meanwhile(rogue, async () => {
          const changed = await change();
          expect(changed.status).toBe(200);
        }),
      );
      const { body } = await editor.api();
      expect([act, body.problem?.code, rogue.arrived.length]).toEqual([act, code, 1]);
    }
  });

  test("is sent if only something else about its account changed", async () => {
    const rogue = await startRogue(kind);
    const change = () => rogue.call(`connections/${rogue.connectionId}/update`, { label: "Another name" });
    rogue.says(async (request, response) => {
      if (rogue.arrived.length === 1) return meanwhile(rogue, change)(request, response);
      answerJson(200, { name: "web" })(request, response);
    });
    const { body } = await rogue.api({ method: "GET" });
    expect([body.status, rogue.arrived.length]).toEqual(["succeeded", 2]);
  });

  test("is checked again when a limit admits it, and releases its reservation if it may no longer be sent", async () => {
    const rogue = await startRogue(kind, "marketing");
    await rogue.call(`connections/${rogue.connectionId}/update`, { settings: { concurrent_calls: 1 } });
    const held: (() => void)[] = [];
    const ok = answerJson(200, { success: true, result: [] });
    rogue.says((request, response) => held.push(() => ok(request, response)));
    const first = rogue.api({ method: "GET", endpoint: "/rest/v1/lists.json" });
    await until(() => held.length > 0);
    const second = rogue.api({ method: "GET" });
    // A waiting call is listed.
    for (let waits = false; !waits; ) {
      const { body } = await rogue.call("limits/list");
      waits = body.results.some((limit: { waiting: unknown[] }) => limit.waiting.length > 0);
    }
    await setPolicy(rogue, denyAll);
    for (const answer of held) answer();
    expect((await first).body.status).toBe("succeeded");
    expect((await second).body.problem).toMatchObject({ code: "policy_denied" });
    expect(rogue.arrived).toHaveLength(1);
    const { body } = await rogue.call("limits/list");
    const used = Object.fromEntries(
      body.results.map((limit: { name: string; used: number }) => [limit.name, limit.used]),
    );
    expect(used).toMatchObject({ burst: 1, concurrent: 0, daily: 1 });
  });

  test("in a run that waits for a limit is not sent if its policy denies it or its account is removed meanwhile", async () => {
    const rogue = await startRogue(kind, "marketing");
    const second = await rogue.call("connections/connect", {
      system: "marketing",
      instance: rogue.origin,
      credentials: { client_id: "another-id", client_secret: "another-secret" },
    });
    rogue.arrived.splice(0);
    // Both are accounts of one instance, which has one limit.
    const accounts = [rogue.connectionId, second.body.connection_id as string];
    for (const id of accounts) await rogue.call(`connections/${id}/update`, { settings: { concurrent_calls: 1 } });
    const held: (() => void)[] = [];
    const ok = answerJson(200, { success: true, result: [] });
    rogue.says((request, response) => held.push(() => ok(request, response)));
    const input = { method: "GET", endpoint: "/rest/v1/lists.json" };
    const first = rogue.api(input);
    await until(() => held.length > 0);
    const runs: string[] = [];
    for (const connection_id of accounts) {
      const steps = [{ name: "send", step: "marketing_api_call", connection_id, input }];
      const { tool_id } = (await rogue.call("tools/create", { title: "A tool", steps })).body;
      runs.push((await rogue.call(`tools/${tool_id}/trigger_async`)).body.run_id);
    }
    const world = { ...rogue, projectId: rogue.project };
    for (const runId of runs)
      expect((await runOnce(world, runId, "waiting")).waiting_for).toMatchObject({ kind: "limit", step: "send" });
    await setPolicy(rogue, denyAll);
    expect((await rogue.call(`connections/${accounts[1]}/remove`)).status).toBe(200);
    for (const answer of held) answer();
    expect((await first).body.status).toBe("succeeded");
    rogue.app.advance(3600);
    const ends = [];
    for (const runId of runs) ends.push((await runOnce(world, runId, "failed", "succeeded")).problem?.code);
    expect(ends).toEqual(["policy_denied", "needs_reconnect"]);
    expect(rogue.arrived).toHaveLength(1);
  });

  test("is checked before every page", async () => {
    const rogue = await startRogue(kind);
    rogue.says(async (request, response) => {
      if (rogue.arrived.length === 1) await setPolicy(rogue, denyAll);
      const next = Number(rogue.arrived.length);
      answerJson(200, { projects: [{ id: "p" }], pagination: { count: 1, next, prev: null } })(request, response);
    });
    const { body } = await rogue.api({ method: "GET", path: "/v9/projects", all_pages: true });
    expect([body.problem?.code, rogue.arrived.length]).toEqual(["policy_denied", 1]);
  });
});

/** Only marketing automation knows `_method`: at web analytics a POST that claims to be a GET is a POST. */
test("a policy that allows only reads is not evaded by _method=GET at web analytics", async () => {
  const { call, run, connections, sandboxes } = await startPlatform("sqlite");
  await call(`connections/${connections.analytics}/update`, {
    policy: { rules: [{ effect: "allow", methods: ["GET"] }] },
  });
  const input = { method: "POST", endpoint: "v1beta/properties", body: { displayName: "x" } };
  const before = await sandboxes.analytics.requests();
  for (const asked of [
    { ...input, query: { _method: "GET" } },
    { ...input, endpoint: `${input.endpoint}?_method=GET` },
  ]) {
    const { body } = await run("analytics_api_call", asked);
    expect(body.problem).toMatchObject({ code: "policy_denied" });
  }
  expect(await sandboxes.analytics.requests()).toEqual(before);
});

/** "Redirects: never with the credential to another origin, each judged, counted, noted." */
describeOnBothStores("a redirect of a system", (kind) => {
  const seen = async (rogue: Rogue, runId: string) => (await rogue.call(`runs/${runId}/get`)).body.steps[0].attempts;
  const leads = (rogue: Rogue, ways: Record<string, string>, status = 302) =>
    rogue.says((request, response) => {
      const to = ways[request.url ?? ""];
      (to === undefined ? answerJson(200, { at: request.url }) : redirectTo(to, status))(request, response);
    });

  test("to the same address is followed, and each hop is counted and recorded", async () => {
    const rogue = await startRogue(kind);
    leads(rogue, {
      "/v9/projects/web": "/v9/projects/prj_1?from=web",
      "/v9/projects/prj_1?from=web": "/v9/projects/prj_2",
    });
    const { body } = await rogue.api({ method: "GET" });
    expect([body.status, body.output?.body]).toEqual(["succeeded", { at: "/v9/projects/prj_2" }]);
    const attempts = await seen(rogue, body.run_id);
    expect(
      attempts.map((each: Noted) => [each.request.url, each.response.status, Object.values(each.counted)]),
    ).toEqual([
      [`${rogue.origin}/v9/projects/web`, 302, [1]],
      [`${rogue.origin}/v9/projects/prj_1?from=web`, 302, [1]],
      [`${rogue.origin}/v9/projects/prj_2`, 200, [1]],
    ]);
  });

  test("is checked against the policy: its method, its path and what it affects", async () => {
    for (const policy of [
      { rules: [{ effect: "deny", path: "/v9/projects/secret/**" }] },
      { rules: [{ effect: "allow", path: "/v9/projects/web" }] },
    ]) {
      const rogue = await startRogue(kind);
      leads(rogue, { "/v9/projects/web": "/v9/projects/secret/env" });
      await rogue.call(`connections/${rogue.connectionId}/update`, { policy });
      const { body } = await rogue.api({ method: "GET" });
      expect(body.problem?.code).toBe("policy_denied");
      expect(rogue.arrived).toEqual(["GET /v9/projects/web"]);
      expect(await seen(rogue, body.run_id)).toHaveLength(1);
    }
  });

  test.each([
    ["another host", "https://evil.example/take?key=shown-to-nobody"],
    ["the same host by another scheme", "ftp://127.0.0.1/x"],
    ["a user in the address", "//user:pass@127.0.0.1/x"],
    ["a path that is none of the API", "/oauth/token"],
    ["a path with a second spelling", "/v9/projects/%2e%2e%2fadmin"],
    ["nothing at all", "http://"],
  ])("to %s is not followed", async (_, location) => {
    const rogue = await startRogue(kind);
    rogue.says(redirectTo(location));
    const { body } = await rogue.api({ method: "GET" });
    expect(body.problem?.code).toBe("invalid_there");
    expect(rogue.arrived).toHaveLength(1);
    expect(JSON.stringify([body, await seen(rogue, body.run_id)])).not.toMatch(/shown-to-nobody|user:pass/);
  });

  test("of anything but a GET is not followed, and the fourth in a row is not either", async () => {
    const rogue = await startRogue(kind);
    leads(rogue, { "/v9/projects/web": "/v9/projects/next" }, 307);
    const write = await rogue.api({ method: "POST", body: { name: "x" } });
    expect([write.body.problem?.code, rogue.arrived.length]).toEqual(["outcome_unknown", 1]);
    rogue.arrived.splice(0);
    rogue.says((request, response) => redirectTo(`${request.url}x`)(request, response));
    const loop = await rogue.api({ method: "GET" });
    expect([loop.body.problem?.code, rogue.arrived.length]).toEqual(["invalid_there", 4]);
  });
});

/** What an answer repeats of the credential is shown to nobody, also not to the caller that waits for it. */
describeOnBothStores("a system that repeats the credential", (kind) => {
  test.each<[string, Handle]>([
    ["in a member", answerJson(200, { echo: { note: `you sent ${rogueToken}!` } })],
    ["as the name of a member", answerJson(200, { [rogueToken]: 1 })],
    ["escaped", (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(escaped)],
    ["in base64", answerJson(200, { echo: Buffer.from(`user:${rogueToken}`).toString("base64") })],
    ["in a header", answerJson(200, {}, { "x-echo": `Bearer ${rogueToken}` })],
    [
      "in a text",
      (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end(`<${rogueToken}>`),
    ],
    ["in a refusal", answerJson(400, { error: { code: "bad_request", message: `Wrong token ${rogueToken}` } })],
  ])("%s", async (_, handle) => {
    const rogue = await startRogue(kind);
    rogue.says(handle);
    const direct = await rogue.api({ method: "GET" });
    const kept = await rogue.call(`runs/${direct.body.run_id}/get`);
    for (const text of [direct.text, kept.text]) {
      expect(text).not.toContain(rogueToken);
      expect(text).not.toContain(Buffer.from(`user:${rogueToken}`).toString("base64"));
    }
    expect(direct.text).toContain("[secret]");
  });
});

async function until(hasHappened: () => boolean): Promise<void> {
  while (!hasHappened()) await new Promise((resolve) => setImmediate(resolve));
}

const escaped = JSON.stringify({ echo: rogueToken }).replaceAll("token", "\\u0074oken");

interface Noted {
  request: { url: string };
  response: { status: number };
  counted: Record<string, number>;
}

/** A colleague of the owner's, who has a role in the project. */
async function joinAs(rogue: Rogue, role: "editor") {
  const colleague = await rogue.app.person(`${role}@example.com`, rogue.owner);
  await rogue.call("auth/invite/create", { email: colleague.email, permissions: asRole(role) });
  const input = { connection_id: rogue.connectionId, input: { method: "GET", path: "/v9/projects/web" } };
  return {
    userId: colleague.userId,
    api: () => rogue.app.call("steps/deployment_api_call/run", input, { as: colleague, project: rogue.project }),
  };
}
