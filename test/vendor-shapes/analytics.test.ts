import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownEndpoints } from "../../src/systems/analytics/options/known-endpoints.ts";
import { analyticsSignIn as signIn } from "../../src/systems/analytics/sign-in/sign-in.ts";
import { analyticsApiCall } from "../../src/systems/analytics/steps/analytics-api-call.ts";
import { createKeyEvents } from "../../src/systems/analytics/steps/create-key-events.ts";
import { createProperties } from "../../src/systems/analytics/steps/create-properties.ts";
import { runReports } from "../../src/systems/analytics/steps/run-reports.ts";
import { analytics } from "../../src/systems/analytics/system.ts";
import type { Endpoint, Grant } from "../../src/systems/sign-in.ts";
import type { StepRequest } from "../../src/systems/work.ts";
import { createOutbound, type Outbound } from "../../src/transport/outbound.ts";
import { runSignIn } from "../../src/vault/run-sign-in.ts";
import { signAssertion } from "../../src/vault/service-account-assertion.ts";
import { startPopUp } from "../support/browser/pop-up.ts";
import { cleanUpLater } from "../support/stores.ts";
import { startAnalytics } from "../support/systems/analytics-sandbox.ts";
import { driveStep, driveWork } from "../support/systems/drive-step.ts";
import { sentThen } from "../support/systems/sent-then.ts";
import { startSandbox } from "../support/systems/vault.ts";
import analyticsShapes from "./analytics.shapes.json" with { type: "json" };
import { signInShapes } from "./analytics-sign-in.ts";
import { judge, operationOf, type SentRequest, type VendorShapes } from "./judge.ts";
import { recording } from "./record.ts";

const shapes: VendorShapes = analyticsShapes;
const day = { start_date: "2026-10-01", end_date: "yesterday" };

describe("the vendor's own description knows everything that is sent to web analytics", () => {
  let sandbox: Awaited<ReturnType<typeof startAnalytics>>;
  beforeAll(async () => {
    sandbox = await startAnalytics();
    await sandbox.reset();
  });
  afterAll(() => sandbox.stop());

  const problemsOf = (requests: readonly StepRequest[]): string[] =>
    requests.flatMap(({ api, method, path, query = {}, body }) => {
      const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
      return judge(shapes, { api, method, path, query: new URLSearchParams(pairs), body });
    });

  // Beyond the examples: every member of a report, each kind of filter, realtime.
  const question = { property_id: "1000", metrics: ["sessions"], dimensions: ["country"] };
  const filters = [
    ...["equals", "not_equals", "contains", "begins_with", "ends_with", "matches"].map((operator) => ({
      field: "country",
      operator,
      value: "France",
    })),
    { field: "country", operator: "in", value: ["France", "Spain"], case_sensitive: true },
    { field: "city", operator: "is_empty" },
    { field: "sessions", operator: "greater_than", value: 1 },
    { field: "sessions", operator: "less_than", value: 2.5 },
    { field: "sessions", operator: "between", value: [1, 1000] },
  ];
  const inputs = [
    ...[runReports, createKeyEvents, createProperties, analyticsApiCall].flatMap((step) =>
      step.examples.map(({ input }) => ({ step, input })),
    ),
    ...filters.map((row) => ({ step: runReports, input: { ...question, date_range: day, filters: [row] } })),
    {
      step: runReports,
      input: {
        ...question,
        date_ranges: [day, { ...day, name: "again" }],
        order_by: [{ field: "country" }, { field: "sessions", desc: true }],
        keep_empty_rows: true,
        currency_code: "EUR",
        limit: 20_000,
      },
    },
    {
      step: runReports,
      input: { property_id: "1000", metrics: ["activeUsers"], dimensions: ["city"], realtime: true },
    },
    { step: analyticsApiCall, input: { method: "GET", endpoint: "v1beta/accountSummaries", all_pages: true } },
  ];

  test("the steps, with each of their inputs", async () => {
    for (const { step, input } of inputs) {
      const { requests } = await driveStep(step, input, sandbox.as("administrator"));
      expect([step.id, input, problemsOf(requests)]).toEqual([step.id, input, []]);
      expect(requests.length).toBeGreaterThan(0);
    }
  });

  test("the drop-downs, and the questions after a lost answer", async () => {
    const asked = [runReports, createKeyEvents, createProperties].flatMap((step) =>
      Object.values(step.options ?? {}).map((option) =>
        option.work({ query: "", after: null, input: { property_id: "1000" } }),
      ),
    );
    const at = { intentId: "int_test", now: new Date(), ...sentThen(), identity: { label: "administrator" } };
    const reconciled = [createKeyEvents, createProperties].flatMap((step) =>
      step.examples.flatMap(({ input }) => step.reconcile?.(step.input.parse(input), at) ?? []),
    );
    const lost = [
      { method: "DELETE", endpoint: "v1beta/properties/1001" },
      { method: "DELETE", endpoint: "v1beta/properties/1000/dataStreams/1" },
      { method: "PATCH", endpoint: "v1beta/properties/1001?updateMask=displayName", body: { displayName: "Shop" } },
    ].flatMap((input) => analyticsApiCall.reconcile?.(analyticsApiCall.input.parse(input), at) ?? []);
    const resolved = [analytics.resolve?.({ kind: "property", id: "1000" }) ?? []].flat();
    let sent = 0;
    for (const work of [...asked, ...reconciled, ...lost, ...resolved]) {
      const { requests } = await driveWork<unknown>(work, analytics, sandbox.as("administrator"));
      expect(problemsOf(requests)).toEqual([]);
      sent += requests.length;
    }
    expect(sent).toBeGreaterThan(9);
  });

  test("every endpoint that the API Call step offers", () => {
    const unknown = knownEndpoints.filter(({ method, endpoint }) => {
      const path = `/${endpoint.split("?")[0]?.replace(/\{\w+\}/g, "1")}`;
      return !operationOf(shapes, { method, path, query: new URLSearchParams() });
    });
    expect(unknown).toEqual([]);
  });

  test("the sign-ins: consent, refresh, service account, check and removal", async () => {
    const received: SentRequest[] = [];
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(
      "sqlite",
      "analytics",
      undefined,
      undefined,
      (create) => recording(create, received),
    );
    const begun = await connect();
    await comeBack(await consent(begun.connect_url));
    const { connection_id } = await status(begun.connect_id);
    team.advance(3700);
    await sandbox.control("clock", { advance_seconds: 3700 });
    await team.call(`connections/${connection_id}/check`, {}, asOwner);
    const again = await connect({ connection_id });
    await comeBack(await consent(again.connect_url));
    const credentials = { service_account_key: sandbox.credentials.service_account };
    await team.call("connections/connect", { system: "analytics", instance: "sandbox", credentials }, asOwner);
    await team.call(`connections/${connection_id}/remove`, {}, asOwner);
    // Where the sandbox's own consent page goes.
    const sent = received.filter(({ path }) => path !== "/o/oauth2/v2/auth/decision");
    const problems = sent.flatMap((each) => judge(each.path.startsWith("/v1") ? shapes : signInShapes, each));
    expect(problems).toEqual([]);
    const used = new Set(sent.map((each) => operationOf(each.path.startsWith("/v1") ? shapes : signInShapes, each)));
    for (const operation of signInShapes.operations) expect(used).toContain(operation);
    const grants = sent.flatMap(({ body }) => Object(body).grant_type ?? []);
    expect(new Set(grants).size).toBe(3);
  });
});

// Nobody here reaches the vendor: the sandbox answers instead of its hosts.
describe("with live settings", () => {
  test("each request of a sign-in goes to the vendor's host that knows it", async () => {
    const sandbox = await startSandbox("analytics");
    const inside = createOutbound({ privateOrigins: [sandbox.url] });
    cleanUpLater(() => inside.close());
    const seen: string[] = [];
    const outbound: Outbound = {
      ...inside,
      send(request) {
        seen.push(`${request.method} ${request.origin}${request.target.split("?")[0]}`);
        return inside.send({ ...request, origin: sandbox.url });
      },
    };
    const { oauth, service_account: file } = sandbox.credentials;
    const client = { id: oauth.client_id, secret: oauth.client_secret };
    const endpoint: Endpoint = { instance: "live", addresses: { ...signIn.live }, client, isTyped: false };
    const grants: Grant[] = [
      { kind: "refresh token", refreshToken: oauth.refresh_tokens.administrator },
      { kind: "service account", email: file.client_email, privateKey: file.private_key, keyId: file.private_key_id },
    ];
    for (const grant of grants) {
      const assertion = await signAssertion(signIn, grant, endpoint, new Date());
      const obtained = await runSignIn(signIn.obtain(grant, endpoint, assertion), endpoint, outbound);
      await runSignIn(signIn.identify(obtained.token, endpoint, { obtained }), endpoint, outbound);
      const ended = signIn.revoke(grant, obtained.token, endpoint, { label: "" });
      if (ended) await runSignIn(ended, endpoint, outbound);
    }
    expect([...new Set(seen)].sort()).toEqual([
      "GET https://analyticsadmin.googleapis.com/v1beta/accountSummaries",
      "GET https://analyticsdata.googleapis.com/v1beta/properties/0/metadata",
      "POST https://analyticsadmin.googleapis.com/v1beta/accounts/100:runAccessReport",
      "POST https://oauth2.googleapis.com/revoke",
      "POST https://oauth2.googleapis.com/token",
      "POST https://oauth2.googleapis.com/tokeninfo",
    ]);
  });
});

describe("the judge", () => {
  const ask = (method: string, path: string, body?: unknown): SentRequest => {
    const [plain = "", query] = path.split("?");
    return { api: "admin", method, path: plain, query: new URLSearchParams(query), body };
  };
  test.each<[string, SentRequest, RegExp]>([
    ["a path that is not there", ask("POST", "/v1beta/properties/1/keyEvent"), /no operation of the admin API/],
    ["a method that is not there", ask("PUT", "/v1beta/properties/1"), /no operation/],
    ["an unknown parameter", ask("GET", "/v1beta/accountSummaries?page=2"), /the query has no page/],
    ["a wrong parameter", ask("GET", "/v1beta/accountSummaries?pageSize=all"), /pageSize=all is no int32/],
    ["an unknown member", ask("POST", "/v1beta/properties", { title: "x" }), /body has no title/],
    [
      "a missing member",
      ask("POST", "/v1beta/properties/1/keyEvents", { eventName: "login" }),
      /countingMethod is required/,
    ],
    [
      "a wrong type",
      ask("POST", "/v1beta/properties/1/keyEvents", { countingMethod: "TWICE" }),
      /countingMethod is no COUNTING_METHOD_UNSPECIFIED\|/,
    ],
    ["an output", ask("PATCH", "/v1beta/properties/1", { createTime: "x" }), /filled in by the vendor/],
  ])("finds %s", (_, sent, problem) => expect(judge(shapes, sent).join("\n")).toMatch(problem));
});
