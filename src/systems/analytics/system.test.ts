import { describe, expect, test } from "vitest";
import { answer, error, report, request } from "../../../test/support/systems/analytics-answers.ts";
import type { Answer, StepRequest } from "../work.ts";
import { analytics } from "./system.ts";

describe("what a refusal costs", () => {
  // "An invalid request costs no tokens."
  test.each([400, 401, 403, 404])("a report that is refused with %s gives its tokens back", (status) => {
    expect(analytics.failure(error(status, "NO", "no"), report())).toMatchObject({ uncounted: true });
  });

  test.each([429, 500, 503])("a request that gets %s may have cost tokens", (status) => {
    expect(analytics.failure(error(status, "NO", "no"), report())).not.toHaveProperty("uncounted");
  });

  test("calls of the Admin API count, whatever comes of them", () => {
    expect(analytics.failure(error(403, "NO", "no"), request("GET", "properties/1000"))).not.toHaveProperty(
      "uncounted",
    );
  });
});

describe("what an answer means", () => {
  const dead = error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
  const scope = error(403, "PERMISSION_DENIED", "Request had insufficient scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT");
  const off = error(403, "PERMISSION_DENIED", "API has not been used in project 1.", "SERVICE_DISABLED");
  const role = error(403, "PERMISSION_DENIED", "The caller does not have permission");
  const hint = error(
    400,
    "INVALID_ARGUMENT",
    "Did you mean sessions? Field sesions is not a valid metric.  For a list",
  );
  const page = answer(404, "<!DOCTYPE html><title>Error 404</title>");

  test.each<[string, Answer, StepRequest, object]>([
    ["a dead token: one fresh one, then reconnect", dead, report(), { code: "needs_reconnect", cure: "fresh token" }],
    ["a scope that was not granted", scope, report(), { code: "permission_denied", remedy: /Reconnect it/ }],
    ["an API that is off", off, report(), { code: "permission_denied", remedy: /Turn on .* project that/ }],
    ["too low a role to read", role, report(), { code: "permission_denied", remedy: /Ask for Viewer/ }],
    ["too low a role to write", role, request("POST", "properties/1000/keyEvents"), { remedy: /Ask for Editor/ }],
    ["too low a role to create", role, request("POST", "properties"), { remedy: /Ask for Administrator/ }],
    ["an unknown metric", hint, report(), { code: "invalid_there", detail: /Did you mean sessions/, cure: "give up" }],
    [
      "a state that forbids it",
      error(400, "FAILED_PRECONDITION", "In the trash."),
      report(),
      { code: "conflict_there" },
    ],
    [
      "a record that is missing",
      error(404, "NOT_FOUND", "Requested entity was not found."),
      report(),
      { code: "not_found_there" },
    ],
    [
      "a path that is missing",
      page,
      request("GET", "nothing"),
      { code: "not_found_there", detail: /no GET \/v1beta\/nothing/ },
    ],
    [
      "a duplicate",
      error(409, "ALREADY_EXISTS", "Requested entity already exists"),
      report(),
      { code: "conflict_there" },
    ],
    [
      "an error of its own",
      error(500, "INTERNAL", "Internal error encountered."),
      report(),
      { code: "system_unavailable", cure: "try again", done: "maybe" },
    ],
    [
      "an outage",
      error(503, "UNAVAILABLE", "The service is currently unavailable."),
      report(),
      { code: "system_unavailable", cure: "try again" },
    ],
    ["a deadline", error(504, "DEADLINE_EXCEEDED", "Deadline expired."), report(), { code: "timed_out" }],
    [
      "a page of a proxy",
      answer(502, "<html>Bad gateway</html>"),
      report(),
      { code: "system_unavailable", detail: /status 502/ },
    ],
    [
      "a success that is no JSON",
      answer(200, "<html>Welcome</html>"),
      report(),
      { code: "system_unavailable", detail: /not JSON/ },
    ],
    ["a redirect", answer(302, ""), report(), { code: "system_unavailable" }],
  ])("%s", (_, given, asked, expected) => {
    const matching = Object.entries(expected).map(([name, value]) => [
      name,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ]);
    expect(analytics.failure(given, asked)).toMatchObject(Object.fromEntries(matching));
  });

  test.each([
    ["rows", answer(200, { rows: [] })],
    ["an empty object", answer(200, {})],
    ["nothing at all", answer(204, "")],
  ])("%s is a success", (_, given) => expect(analytics.failure(given, report())).toBeNull());
});

describe("what a request touches", () => {
  const account = (id: string) => ({ kind: "account", id });
  const named = (id: string) => ({ kind: "property", id });

  test.each<[string, StepRequest, object[] | null]>([
    ["a report", report(), [named("1000")]],
    ["a verb in another spelling", request("POST", "properties/%31000%3ArunReport"), [named("1000")]],
    ["a child of a property", request("DELETE", "properties/1000/keyEvents/7"), [named("1000")]],
    ["another property in the body", report({ property: "properties/2000" }), [named("1000"), named("2000")]],
    [
      "a batch",
      request("POST", "properties/1000:batchRunReports", { body: { requests: [{ property: "properties/9" }] } }),
      [named("1000"), named("9")],
    ],
    ["a new property", request("POST", "properties", { body: { parent: "accounts/100" } }), [account("100")]],
    [
      "a list of properties",
      request("GET", "properties", { query: { filter: "parent:accounts/100" } }),
      [account("100")],
    ],
    ["a list of who knows what", request("GET", "properties", { query: { filter: "firebase_project:x" } }), null],
    ["an account", request("GET", "accounts/100"), [account("100")]],
    ["everything", request("GET", "accountSummaries"), null],
    ["any property", request("GET", "properties/-/keyEvents"), null],
    [
      "any property, whatever the body says",
      request("POST", "properties/-:runReport", { body: { property: "properties/1000" } }),
      null,
    ],
    ["a list without a filter", request("GET", "properties"), null],
  ])("%s", (_, asked, expected) => expect(analytics.resources(asked, { label: "" })).toEqual(expected));

  test("a property is known by its account too", () => {
    const work = analytics.resolve?.({ kind: "property", id: "1000" });
    expect(work?.next().value).toMatchObject({ method: "GET", api: "admin", path: "/v1beta/properties/1000" });
    const found = work?.next(answer(200, { name: "properties/1000", account: "accounts/100" }));
    expect(found?.value).toEqual([named("1000"), account("100")]);
  });
});
