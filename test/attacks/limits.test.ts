import { expect, test } from "vitest";
import { type LimitClock, systemClock } from "../../src/limits/state/clock.ts";
import { type Platform, startPlatform } from "../support/platform.ts";
import { describeOnBothStores } from "../support/stores.ts";

/** "Every limit, budget and cache is keyed by tenant or account": a stranger on the same systems is neither felt nor seen. */

describeOnBothStores("limits of several tenants", (kind) => {
  test("600 refused calls of one tenant do not reduce another tenant's Admin API limit", async () => {
    const platform = await startPlatform(kind);
    const stranger = await startStranger(platform, "viewer");
    for (let round = 0; round < 12; round++) {
      const refused = Array.from({ length: 50 }, () => stranger.analytics("GET", "v1beta/properties/987654"));
      for (const { body } of await Promise.all(refused))
        expect(body.problem.code).toMatch(/permission_denied|rate_limited/);
    }
    const { body } = await platform.run("analytics_api_call", propertyOf(platform), { wait_seconds: 0 });
    expect([body.status, body.problem]).toEqual(["succeeded", undefined]);
  }, 120_000);

  test("lists, dry runs and waiting calls never show what other tenants have used", async () => {
    const platform = await startPlatform(kind);
    const stranger = await startStranger(platform, "administrator");
    const report = { method: "POST", endpoint: "v1beta/properties/1000:runReport", body: reportBody };
    for (let i = 0; i < 5; i++) {
      await platform.run("analytics_api_call", propertyOf(platform));
      await platform.run("analytics_api_call", report);
      await platform.run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" });
      await platform.run("deployment_api_call", { method: "GET", path: "/v9/projects" });
    }
    const used = (answer: { body: { results: { used: number }[] } }) => answer.body.results.map((limit) => limit.used);
    expect(used(await platform.call("limits/list")).some((count) => count > 0)).toBe(true);
    expect(used(await stranger.call("limits/list")).filter((count) => count > 0)).toEqual([]);
    for (const asked of [propertyOf(platform), report]) {
      const { body } = await stranger.call("steps/analytics_api_call/run", {
        connection_id: stranger.connections.analytics,
        input: asked,
        dry_run: true,
      });
      expect(body.limits.length).toBeGreaterThan(0);
      expect(body.limits.map((limit: { used: number }) => limit.used)).toEqual(body.limits.map(() => 0));
    }
  });

  test("a quota that one tenant has used up is announced only to that tenant's webhooks, and pauses no other tenant", async () => {
    const platform = await startPlatform(kind, { limitClock: halfPast() });
    const stranger = await startStranger(platform, "administrator");
    const wish = { url: "https://hooks.example.com/signalbox", events: ["limit.exhausted"] };
    const mine = (await platform.call("webhooks/create", wish)).body.webhook_id;
    const theirs = (await stranger.call("webhooks/create", wish)).body.webhook_id;
    const told = async (call: Platform["call"], id: string) => (await call(`webhooks/${id}/deliveries`)).body.results;
    for (const [index, { system, step, input, path, status, body }] of usedUp(platform).entries()) {
      const mineRuns = () => platform.run(step, input, { wait_seconds: 0 });
      const theirsRuns = () => stranger.run(system, step, input, { wait_seconds: 0 });
      const fault = { match: { method: input.method, path }, times: 1, status, body };
      // Both have met the limit before.
      for (const run of [mineRuns, theirsRuns]) expect((await run()).body.status).toBe("succeeded");
      await platform.sandboxes[system].control("faults", fault);
      // The first is refused there, and the others here.
      for (let calls = 0; calls < 3; calls++) expect((await theirsRuns()).body.problem.code).toBe("quota_exhausted");
      expect((await mineRuns()).body.status).toBe("succeeded");
      expect(await told(stranger.call, theirs)).toHaveLength(index + 1);
      expect(await told(platform.call, mine)).toHaveLength(index);
      await platform.sandboxes[system].control("faults", fault);
      expect((await mineRuns()).body.problem.code).toBe("quota_exhausted");
      expect(await told(platform.call, mine)).toHaveLength(index + 1);
      expect(await told(stranger.call, theirs)).toHaveLength(index + 1);
    }
  });
});

/** A limit that is free again within a minute is not announced, and quotas of an hour or a day are free at the full hour. */
function halfPast(): LimitClock {
  const hour = 3_600_000;
  const shift = hour / 2 - (Date.now() % hour);
  return { ...systemClock, wall: () => Date.now() + shift };
}

const reportBody = {
  dateRanges: [{ startDate: "7daysAgo", endDate: "yesterday" }],
  metrics: [{ name: "sessions" }],
  returnPropertyQuota: true,
};

/** Calls that the systems refuse because a quota of more than a minute is used up. */
const usedUp = ({ sandboxes }: Platform) =>
  [
    {
      system: "marketing",
      step: "marketing_api_call",
      input: { method: "GET", endpoint: "/rest/v1/lists.json" },
      path: "/rest/v1/lists.json",
      status: 200,
      body: { requestId: "1", success: false, errors: [{ code: "607", message: "Daily quota reached" }] },
    },
    {
      system: "analytics",
      step: "analytics_api_call",
      input: { method: "POST", endpoint: `v1beta/${sandboxes.analytics.ids.property}:runReport`, body: reportBody },
      path: `/v1beta/${sandboxes.analytics.ids.property}:runReport`,
      status: 429,
      body: {
        error: {
          code: 429,
          status: "RESOURCE_EXHAUSTED",
          message:
            "Exhausted property tokens for a property per hour. These quota tokens will return in under 60 minutes.",
        },
      },
    },
  ] as const;

const propertyOf = ({ sandboxes }: Platform) => ({
  method: "GET",
  endpoint: `v1beta/${sandboxes.analytics.ids.property}`,
});

/** Another organization, with accounts of its own at the same systems. */
async function startStranger({ app, sandboxes }: Platform, level: "viewer" | "administrator") {
  const person = await app.person("stranger@elsewhere.example");
  const project = await app.project(person, "Elsewhere");
  const call: Platform["call"] = (operation, body = {}, headers = {}) =>
    app.call(operation, body, { as: person, project, headers });
  const credentials = {
    marketing: {
      client_id: sandboxes.marketing.credentials.client_id,
      client_secret: sandboxes.marketing.credentials.client_secret,
    },
    analytics: { refresh_token: sandboxes.analytics.credentials.oauth.refresh_tokens[level] },
  };
  const connections: Record<string, string> = {};
  for (const [system, given] of Object.entries(credentials)) {
    const answer = await call("connections/connect", { system, instance: "sandbox", credentials: given });
    connections[system] = answer.body.connection_id;
  }
  const run = (system: string, step: string, input: unknown, more: object = {}) =>
    call(`steps/${step}/run`, { connection_id: connections[system], input, ...more });
  return {
    call,
    connections,
    run,
    analytics: (method: string, endpoint: string) => run("analytics", "analytics_api_call", { method, endpoint }),
  };
}
