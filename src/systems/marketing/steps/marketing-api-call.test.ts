import { describe, expect, test } from "vitest";
import * as z from "zod";
import { driveWork, failureOf } from "../../../../test/support/systems/drive-step.ts";
import { problemsOf, useMarketingSteps } from "../../../../test/support/systems/marketing-steps.ts";
import { describeInput } from "../../../kernel/parse-within.ts";
import { marketing } from "../system.ts";
import { marketingApiCall } from "./marketing-api-call.ts";

const sandbox = useMarketingSteps();
const { ids, call, get } = sandbox;
const bodyOf = (driven: { output: unknown }) => (driven.output as { body: Record<string, never> }).body;

describe("every endpoint of the requirement", () => {
  const leads = () => ({ input: [{ id: ids.lead_id }] });
  const rows: [string, string, (() => Record<string, unknown>)?][] = [
    ["GET", "/rest/v1/leads.json", () => ({ query_parameters: { filterType: "id", filterValues: ids.lead_id } })],
    ["POST", "/rest/v1/leads.json", () => ({ body: { input: [{ email: "new@example.com" }] } })],
    [
      "GET",
      "/rest/v1/activities/leadchanges.json",
      () => ({ query_parameters: { sinceDatetime: "2020-01-01T00:00:00Z", fields: "email" }, all_pages: true }),
    ],
    // "`leadchanges.json` with `sinceDatetime` fetches its paging token by itself also without `all_pages`."
    [
      "GET",
      "/rest/v1/activities/leadchanges.json?sinceDatetime=2020-01-01T00:00:00Z&fields=email",
      () => ({ query_parameters: {} }),
    ],
    ["GET", "/rest/v1/campaigns.json"],
    ["GET", "/rest/v1/campaigns/{trigger_campaign_id}.json"],
    [
      "POST",
      "/rest/v1/campaigns/{trigger_campaign_id}/trigger.json",
      () => ({ body: { input: { leads: [{ id: ids.lead_id }] } } }),
    ],
    ["POST", "/rest/v1/campaigns/{batch_campaign_id}/schedule.json"],
    ["GET", "/rest/asset/v1/programs.json?type=email"],
    ["GET", "/rest/asset/v1/email/{email_id}/content.json"],
    ["GET", "/rest/asset/v1/email/byName.json?name={email_name}"],
    ["POST", "/rest/asset/v1/email/{email_with_draft_id}/approveDraft.json"],
    ["GET", "/rest/asset/v1/program/{email_program_id}/stats.json"],
    ["GET", "/rest/asset/v1/landingPage/{landing_page_id}/stats.json"],
    ["GET", "/rest/v1/activities/emailbounced.json"],
    ["GET", "/rest/v1/activities/emailopened.json"],
    ["GET", "/rest/v1/lists.json"],
    ["GET", "/rest/v1/lists/{list_id}/leads.json"],
    ["POST", "/rest/v1/lists/{empty_list_id}/leads.json", () => ({ body: leads() })],
    ["DELETE", "/rest/v1/lists/{list_id}/leads.json", () => ({ body: leads() })],
  ];
  test.each(rows)("%s %s", async (method, template, more) => {
    const endpoint = template.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const { output } = await call({ method, endpoint, ...more?.() });
    expect(output).toMatchObject(
      more?.().all_pages ? { next_page_token: null } : { status: 200, body: { success: true } },
    );
  });
});

// The sandbox serves them, so a tool that works there has to say that it may not work at the vendor.
describe("an endpoint that the vendor does not publish", () => {
  const told = [expect.stringMatching(/does not publish this path.*`GET \/rest\/v1\/activities\.json`/)];
  test.each([
    ["/rest/asset/v1/program/{email_program_id}/stats.json", {}],
    ["/rest/asset/v1/landingPage/{landing_page_id}/stats.json", {}],
    ["/rest/v1/activities/emailbounced.json", {}],
    ["/rest/v1/activities/emailopened.json", { all_pages: true, max_items: 5 }],
  ])("%s: what to use instead is said before it is sent, and when it succeeds", async (template, more) => {
    const endpoint = template.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const input = { method: "GET", endpoint, ...more };
    expect(marketingApiCall.warningsOf?.(marketingApiCall.input.parse(input))).toEqual(told);
    expect((await call(input)).warnings.slice(0, 1)).toEqual(told);
  });

  test("is not any other", async () => {
    const input = { method: "GET", endpoint: "/rest/v1/lists.json" };
    expect(marketingApiCall.warningsOf?.(marketingApiCall.input.parse(input))).toEqual([]);
    expect((await call(input)).warnings).toEqual([]);
  });
});

describe("examples", () => {
  test.each(marketingApiCall.examples.map(({ title, input }) => [title, input] as const))("%s", async (_, input) => {
    const { output, warnings } = await call(input);
    expect(warnings).toEqual([]);
    expect(output).not.toEqual({});
  });
});

describe("as the system wants it", () => {
  test("a long query travels in the body of a POST that says it is a GET, and stays a read", async () => {
    const values = Array.from({ length: 300 }, (_, index) => `somebody.with.a.long.name.${index}@mail.example.com`);
    const { output, requests } = await get("/rest/v1/leads.json", {
      query_parameters: { filterType: "email", filterValues: [...values.slice(1), ids.lead_email] },
    });
    expect(requests[0]).toMatchObject({
      method: "POST",
      query: { _method: "GET" },
      form: true,
      effect: "read",
      idempotent: true,
    });
    expect(output).toMatchObject({ body: { result: [{ id: ids.lead_id }] } });
  });

  test("asset writes are forms, with objects as JSON text", async () => {
    const { requests } = await call({
      method: "POST",
      endpoint: "/rest/asset/v1/staticLists.json",
      body: { name: "Made by a step", folder: { id: ids.folder_id, type: "Folder" } },
    });
    expect(requests[0]).toMatchObject({ form: true, body: { folder: `{"id":${ids.folder_id},"type":"Folder"}` } });
  });

  test("the ids of a removal go into the query", async () => {
    const { requests } = await call({
      method: "DELETE",
      endpoint: `/rest/v1/lists/${ids.list_id}/leads.json`,
      body: { input: [{ id: 1001 }, { id: 1002 }] },
    });
    expect(requests[0]).toMatchObject({ method: "DELETE", query: { id: [1001, 1002] } });
    expect(requests[0]).not.toHaveProperty("body");
  });

  test("skipped rows are reported by index", async () => {
    const input = [{ email: "a@example.com" }, { email: "b@example.com", seats: "many" }];
    const { warnings, output } = await call({ method: "POST", endpoint: "/rest/v1/leads.json", body: { input } });
    expect(bodyOf({ output }).result).toMatchObject([{ status: "created" }, { status: "skipped" }]);
    expect(warnings).toEqual(["Row 1 was skipped: 1003 Invalid value for field 'seats' and value 'many'."]);
  });
});

describe("failures", () => {
  test("success:false in a 200 is a failure", async () => {
    expect(await failureOf(get("/rest/v1/campaigns/1.json"))).toMatchObject({
      code: "not_found_there",
      systemCode: "1013",
    });
    expect(await failureOf(get("/rest/v1/nothing.json"))).toMatchObject({ code: "not_found_there", systemCode: "610" });
    expect(await failureOf(get("/rest/v1/leads.json"))).toMatchObject({ code: "invalid_there" });
  });

  test("statistics that this instance lacks are reported as such", async () => {
    await sandbox.control("/limits", { undocumented_paths: false });
    const failure = await failureOf(get(`/rest/asset/v1/program/${ids.email_program_id}/stats.json`));
    expect(failure.detail).toContain("not available on this instance");
  });

  test("approving an asset without a draft is a conflict", async () => {
    const endpoint = `/rest/asset/v1/email/${ids.email_id}/approveDraft.json`;
    const failure = await failureOf(call({ method: "POST", endpoint }));
    expect(failure).toMatchObject({
      code: "conflict_there",
      systemCode: "709",
      remedy: expect.stringContaining("approved already"),
    });
  });

  test("the rate limit is a wait, and the day's quota is not", async () => {
    await sandbox.control("/limits", { rate_calls: 1 });
    await get("/rest/v1/lists.json");
    expect(await failureOf(get("/rest/v1/lists.json"))).toMatchObject({ code: "rate_limited", waitSeconds: 20 });
    await sandbox.control("/limits", { rate_calls: null, daily_calls: 1 });
    expect(await failureOf(get("/rest/v1/lists.json"))).toMatchObject({
      code: "quota_exhausted",
      waitSeconds: expect.any(Number),
    });
  });
});

describe("bad input", () => {
  const rows300 = Array.from({ length: 301 }, (_, id) => ({ id }));
  test.each([
    ["a method of another system", { method: "PATCH", endpoint: "/rest/v1/leads.json" }, "method"],
    ["an address", { method: "GET", endpoint: "https://evil.example/rest/v1/leads.json" }, "endpoint"],
    ["the identity service", { method: "GET", endpoint: "/identity/oauth/token" }, "endpoint"],
    ["a token in the query", { method: "GET", endpoint: "/rest/v1/leads.json?access_token=x" }, "endpoint"],
    [
      "a hidden verb",
      { method: "POST", endpoint: "/rest/v1/leads.json", query_parameters: { _method: "DELETE" } },
      "query_parameters",
    ],
    [
      "a hidden verb in the body",
      { method: "POST", endpoint: "/rest/v1/leads.json", body: { _method: "DELETE" } },
      "body._method",
    ],
    ["a GET with a body", { method: "GET", endpoint: "/rest/v1/leads.json", body: {} }, "body"],
    ["301 rows", { method: "POST", endpoint: "/rest/v1/leads.json", body: { input: rows300 } }, "body.input"],
    [
      "101 leads for a campaign",
      { method: "POST", endpoint: "/rest/v1/campaigns/1/trigger.json", body: { input: { leads: rows300.slice(200) } } },
      "body.input.leads",
    ],
    [
      "301 values",
      { method: "GET", endpoint: `/rest/v1/leads.json?filterValues=${rows300.map(() => 1)}` },
      "query_parameters.filterValues",
    ],
    [
      "over a megabyte",
      { method: "POST", endpoint: "/rest/v1/leads.json", body: { input: ["x".repeat(1_100_000)] } },
      "body",
    ],
    ["all pages of a write", { method: "POST", endpoint: "/rest/v1/leads.json", all_pages: true }, "all_pages"],
    ["a made-up token", { method: "GET", endpoint: "/rest/v1/lists.json", all_pages: true, after: "x" }, "after"],
    [
      "too many items",
      { method: "GET", endpoint: "/rest/v1/lists.json", all_pages: true, max_items: 100_001 },
      "max_items",
    ],
    ["a member that is not there", { method: "GET", endpoint: "/rest/v1/lists.json", query: {} }, ""],
  ])("%s is refused before anything is sent", (_, input, field) => {
    expect(problemsOf(input).map(([path]) => path)).toEqual([field]);
  });

  test("what it takes and gives can be shown as JSON Schema", () => {
    expect(describeInput(marketingApiCall.input)).toMatchObject({ required: ["method", "endpoint"] });
    expect(z.toJSONSchema(marketingApiCall.output)).toMatchObject({ type: "object" });
  });
});

describe("for policies", () => {
  test.each([
    ["list", "list_id", "Newsletter"],
    ["campaign", "trigger_campaign_id", "Send Welcome"],
  ] as const)("a %s is known by id and by name", async (kind, name, label) => {
    const work = marketing.resolve?.({ kind, id: String(ids[name]) });
    if (!work) throw new Error("It cannot be looked up.");
    const { result } = await driveWork(work, marketing, sandbox.at);
    expect(result.map(({ id }) => id)).toEqual([String(ids[name]), label]);
    expect(new Set(result.map(({ same }) => same)).size).toBe(1);
  });
});

describe("the endpoint's drop-down", () => {
  const offer = async (query: string, input = {}) => {
    const work = marketingApiCall.options?.endpoint?.work({ query, after: null, input });
    if (!work) throw new Error("There is no such drop-down.");
    return (await driveWork(work, marketing, sandbox.at)).result;
  };

  test("offers known endpoints by words and method", async () => {
    const { options } = await offer("static list", { method: "GET" });
    expect(options.map(({ value }) => value)).toEqual(["/rest/v1/lists.json"]);
  });

  // "Four of the 19 listed endpoints are not published by the vendor: they are offered with that note."
  test("offers unpublished endpoints with a note and with what to use instead", async () => {
    const { options } = await offer("emailbounced");
    expect(options).toMatchObject([
      { hint: expect.stringMatching(/Not published by the vendor.*activityTypeIds=8,27/) },
    ]);
    const hints = (await offer("")).options.filter(({ hint }) => hint?.includes("Not published"));
    expect(hints).toHaveLength(4);
  });

  test("of fields offers the account's own, custom ones by their names, and a call returns them", async () => {
    const work = marketingApiCall.options?.fields?.work({ query: "favorite", after: null, input: {} });
    if (!work) throw new Error("There is no such drop-down.");
    const { result } = await driveWork(work, marketing, sandbox.at);
    expect(result.options).toEqual([
      { value: "favoriteProduct", label: "Favorite Product", hint: "favoriteProduct, string" },
    ]);
    const query = { filterType: "id", filterValues: ids.lead_id, fields: "email" };
    const asked = { method: "GET", endpoint: "/rest/v1/leads.json", query_parameters: query };
    const { output } = await call({ ...asked, fields: ["favoriteProduct"] });
    expect(Object.keys(bodyOf({ output }).result?.[0] ?? {}).sort()).toEqual(["email", "favoriteProduct", "id"]);
  });

  test("offers the account's own lists and campaigns once one is typed", async () => {
    expect((await offer("/rest/v1/lists/newsl")).options).toContainEqual({
      value: "/rest/v1/lists/1001/leads.json",
      label: "Members of a list: Newsletter",
      hint: "GET /rest/v1/lists/1001/leads.json",
    });
    expect((await offer("/rest/v1/campaigns/")).options).toHaveLength(24);
    expect((await offer("/rest/asset/v1/program/")).options).toHaveLength(26);
  });
});
