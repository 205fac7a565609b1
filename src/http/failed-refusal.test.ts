import { describe, expect, test } from "vitest";
import { startApp } from "../../test/support/app.ts";
import { newStore } from "../../test/support/stores.ts";
import { newApiKey } from "../access/callers/api-key-format.ts";
import { Problem } from "../kernel/problem.ts";
import type { Store } from "../store/db.ts";

/**
 * "The last handler cannot fail. Whatever is thrown while a problem is written ends as a short 500; no rejection of one call can end
 * the process." An unhandled rejection fails the whole test run.
 */

/** Values that cannot become a response, each failing at another point. */
const unspeakable: [string, () => unknown][] = [
  ["a problem with a member that JSON cannot hold", () => new Problem("internal", "x", { more: { count: 1n } })],
  ["a problem with a header that HTTP cannot hold", () => new Problem("internal", "x", { headers: { "x-a": "a\nb" } })],
  ["an error that cannot be looked at", () => untouchable(new Error("x"))],
  [
    "a problem whose cause cannot be logged",
    () => new Problem("internal", "x", { cause: untouchable(new Error("x")) }),
  ],
  [
    "a problem with more text than a string may have",
    () => {
      // Each is small; together they exceed the longest string.
      const detail = "x".repeat(2 ** 27);
      return new Problem("validation_failed", detail, {
        errors: Array.from({ length: 100 }, () => ({ pointer: detail, code: detail, detail })),
      });
    },
  ],
];

const untouchable = (error: Error): Error =>
  new Proxy(error, {
    get: () => {
      throw new RangeError("Invalid string length");
    },
    has: () => {
      throw new RangeError("Invalid string length");
    },
    getPrototypeOf: () => {
      throw new RangeError("Invalid string length");
    },
  });

/** A real store until it is set to fail; then every read and write throws the given value. */
async function startFailing() {
  const real = await newStore("sqlite");
  let failure: (() => unknown) | null = null;
  const store: Store = new Proxy(real, {
    get(target, name: keyof Store) {
      const isWork = name === "query" || name === "transaction";
      return isWork && failure ? () => Promise.reject(failure?.()) : target[name];
    },
  });
  const app = await startApp("sqlite", { store });
  const { apiKey } = await app.person("owner@example.com");
  return {
    app,
    apiKey,
    fail: (with_: () => unknown) => {
      failure = with_;
    },
  };
}

describe.each(unspeakable)("%s", (_, make) => {
  const calls: [string, string, string, Record<string, string>][] = [
    ["an operation", "POST", "/latest/auth/info", {}],
    ["an operation that anybody may call", "POST", "/latest/auth/sign_in/methods", {}],
    ["an agent's address", "POST", "/latest/agents/agt_us_a/webhook/tok", {}],
    ["a directory", "GET", "/scim/v2/Users", { authorization: `Bearer sbs_us_${newApiKey("us").slice(7)}` }],
    ["a sign-in at a provider", "GET", "/sso/start?provider=sso_us_a", {}],
    ["a consent page's way back", "GET", "/oauth/callback?state=x&code=y", {}],
  ];

  test("ends a call with a short response, wherever it is thrown", async () => {
    const { app, apiKey, fail } = await startFailing();
    fail(make);
    for (const [, method, url, headers] of calls) {
      const answer = await app.app.inject({
        method: method as "GET",
        url,
        headers: { "content-type": "application/json", authorization: `Bearer :${apiKey}`, ...headers },
        ...(method === "POST" && { payload: JSON.stringify({ email: "a@example.com" }) }),
      });
      expect(answer.statusCode, url).toBeGreaterThanOrEqual(400);
      expect(answer.body.length).toBeLessThan(70_000);
      expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    }
    expect((await app.app.inject({ method: "GET", url: "/healthz" })).statusCode).toBe(200);
  });
});

test("the short response is a problem with the request id of the log", async () => {
  const { app, apiKey, fail } = await startFailing();
  fail(() => new Problem("internal", "x", { more: { count: 1n } }));
  const answer = await app.call("auth/info", {}, { authorization: `Bearer :${apiKey}` });
  expect(answer.status).toBe(500);
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expect(answer.body).toMatchObject({ code: "internal", status: 500, request_id: answer.headers["x-request-id"] });
  const line = app.logged.find((each) => each.includes("a refusal could not be written"));
  expect(line).toContain(answer.body.request_id);
});
