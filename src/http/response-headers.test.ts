import { describe, expect, test } from "vitest";
import { baseUrls, permissions, startApp } from "../../test/support/app.ts";
import { expectCommonHeaders, expectProblem } from "../../test/support/calls/expect-problem.ts";
import { startTeam } from "../../test/support/team.ts";
import { defaultPolicies } from "../calls/rate-limits/default-quotas.ts";

describe("headers", () => {
  test("every response carries the request's id, the version, no-store and nosniff, and no cookie", async () => {
    const { app, call, owner, inProject } = await startTeam("sqlite");
    const pages = ["/healthz", "/readyz", "/metrics", "/latest/openapi.json", "/latest/documentation", "/", "/none"];
    const answers = [
      ...(await Promise.all(pages.map((url) => app.inject({ method: "GET", url })))),
      await call("auth/info", {}, { as: owner }),
      await call("auth/users/list", {}, inProject(owner)),
      await call("auth/users/list", {}, { as: owner }),
      await call("auth/info", "not JSON", { as: owner }),
    ];
    const ids = answers.map(({ headers }) => {
      expectCommonHeaders(headers);
      expect(headers["set-cookie"]).toBeUndefined();
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      return headers["x-request-id"];
    });
    expect(new Set(ids).size).toBe(answers.length);
  });

  test("every problem is application/problem+json, to the letter, wherever it comes from", async () => {
    const { app, call, owner } = await startTeam("sqlite");
    const answers = [
      await app.inject({ method: "GET", url: "/none" }),
      await app.inject({ method: "GET", url: "/latest/auth/info" }),
      await app.inject({ method: "POST", url: "/latest/%zz" }),
      await call("auth/info", "not JSON", { as: owner }),
      await call("auth/info", {}),
    ];
    expect(answers.map(({ headers }) => headers["content-type"])).toEqual(
      answers.map(() => "application/problem+json"),
    );
  });

  test("the request id is ours, never the caller's", async () => {
    const { app } = await startApp("sqlite");
    const headers = { "x-request-id": "mine", "request-id": "mine" };
    const answer = await app.inject({ method: "GET", url: "/healthz", headers });
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
  });

  test("the challenge comes with 401 and with nothing else", async () => {
    const { call, owner } = await startTeam("sqlite");
    const challenge = async (authorization?: string) =>
      (await call("auth/users/list", {}, { authorization })).headers["www-authenticate"];
    // "no error attribute" where there were no credentials (RFC 6750, 3.1).
    expect(await challenge()).toBe('Bearer realm="signalbox"');
    expect(await challenge("Bearer wrong")).toBe('Bearer realm="signalbox", error="invalid_token"');
    expect(await challenge(`Bearer :${owner.apiKey}`)).toBeUndefined();
  });

  test("the type of a problem is the page that explains it", async () => {
    const { call } = await startApp("sqlite");
    const { body } = await call("auth/info", {});
    expect(body.type).toBe(`${baseUrls.us}/latest/documentation/errors#credentials_missing`);
  });
});

describe("rate limits", () => {
  const policies = { ...defaultPolicies, default: { quota: 4, windowSeconds: 60 } };

  test("every success says which limits hold and what is left of them", async () => {
    const { call, owner, inProject } = await startTeam("sqlite", { rateLimits: { ...defaultPolicies } });
    const read = await call("auth/info", {}, { as: owner });
    expect(read.headers["ratelimit-policy"]).toBe('"default";q=6000;w=60');
    expect(read.headers.ratelimit).toMatch(/^"default";r=\d+;t=\d+$/);
    const write = await call("auth/keys/create", {}, { as: owner });
    expect(write.headers["ratelimit-policy"]).toBe('"default";q=6000;w=60, "write";q=1200;w=60');
    expect(write.headers.ratelimit).toMatch(/^"default";r=\d+;t=\d+, "write";r=\d+;t=\d+$/);
    const left = ({ headers }: typeof read) => Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
    expect(left(read) - left(write)).toBe(1);
    // "`write` for operations on projects, auth and organizations that change something": a webhook is none of these.
    const hook = { url: "https://hooks.example.com/signalbox", events: ["run.failed"] };
    const other = await call("webhooks/create", hook, inProject(owner));
    expect([other.status, other.headers["ratelimit-policy"]]).toEqual([200, '"default";q=6000;w=60']);
  });

  test("a used-up limit is 429 with the time to wait, the policy, and IANA's type", async () => {
    const { call, owner } = await startTeam("sqlite", { rateLimits: policies });
    const info = () => call("auth/info", {}, { as: owner });
    // Making the project was the first of the four.
    for (let i = 0; i < 3; i++) expect((await info()).status).toBe(200);
    const refused = await info();
    expectProblem(refused, "rate_limited");
    expect(refused.body.type).toBe("https://iana.org/assignments/http-problem-types#quota-exceeded");
    expect(refused.body["violated-policies"]).toEqual(["default"]);
    expect(refused.headers["ratelimit-policy"]).toBe('"default";q=4;w=60');
    expect(refused.headers.ratelimit).toMatch(/^"default";r=0;t=\d+$/);
    const seconds = Number(refused.headers["retry-after"]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  test("one key's limit leaves other keys alone", async () => {
    const team = await startTeam("sqlite", { rateLimits: policies });
    const other = await team.colleague("other");
    for (let i = 0; i < 5; i++) await team.call("auth/info", {}, { as: team.owner });
    expect((await team.call("auth/info", {}, { as: team.owner })).status).toBe(429);
    expect((await team.call("auth/info", {}, { as: other })).status).toBe(200);
  });

  test("wrong credentials count separately, and do not delay a valid key", async () => {
    const rateLimits = { ...defaultPolicies, auth_failure: { quota: 3, windowSeconds: 60 } };
    const { call, owner } = await startTeam("sqlite", { rateLimits });
    const guess = () => call("auth/info", {}, { authorization: "Bearer :guess" });
    for (let i = 0; i < 3; i++) expectProblem(await guess(), "credentials_invalid");
    const refused = await guess();
    expectProblem(refused, "rate_limited");
    expect(refused.body["violated-policies"]).toEqual(["auth_failure"]);
    expect((await call("auth/info", {}, { as: owner })).status).toBe(200);
  });

  test("a project's invites have a limit of their own, for those really created", async () => {
    const rateLimits = { ...defaultPolicies, invite: { quota: 2, windowSeconds: 3600 } };
    const team = await startTeam("sqlite", { rateLimits });
    const invite = (email: string) =>
      team.call("auth/invite/create", { email, permissions: permissions("admin") }, team.inProject(team.owner));
    expect((await invite("a@example.com")).status).toBe(200);
    expectProblem(await invite("a@example.com"), "invite_already_pending");
    expect((await invite("b@example.com")).status).toBe(200);
    const refused = await invite("c@example.com");
    expectProblem(refused, "rate_limited");
    expect(refused.body["violated-policies"]).toEqual(["invite"]);
  });

  test("no RateLimit field where limits are off", async () => {
    const { call, owner } = await startTeam("sqlite", { rateLimits: "off" });
    const { headers } = await call("auth/info", {}, { as: owner });
    expect([headers.ratelimit, headers["ratelimit-policy"]]).toEqual([undefined, undefined]);
  });
});
