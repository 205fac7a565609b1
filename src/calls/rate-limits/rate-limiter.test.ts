import { describe, expect, test } from "vitest";
import { permissions } from "../../../test/support/app.ts";
import { asRole, startTeam } from "../../../test/support/team.ts";
import { newApiKey } from "../../access/callers/api-key-format.ts";
import { Problem } from "../../kernel/problem.ts";
import { subjectOf } from "./counted-subject.ts";
import { defaultPolicies, type PolicySettings } from "./default-quotas.ts";
import { createRateLimits, type RateLimitHeaders } from "./rate-limiter.ts";

const policies = (changes: Partial<Exclude<PolicySettings, "off">>): PolicySettings => ({
  ...defaultPolicies,
  ...changes,
});

type Headers = RateLimitHeaders | null;

function withClock(settings: PolicySettings) {
  let ms = 0;
  const created = createRateLimits(settings, () => ms);
  void created.stop();
  // A process that counts alone waits for nothing.
  const limits = { ...created, admit: created.admit as (...given: Parameters<typeof created.admit>) => Headers };
  const pass = (seconds: number) => {
    ms += seconds * 1000;
  };
  return { limits, pass };
}

function refusalOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error("It was not refused.");
}

describe("a limit", () => {
  test("admits its quota, refuses the rest, and starts anew when its window ends", () => {
    const { limits, pass } = withClock(policies({ default: { quota: 2, windowSeconds: 60 } }));
    expect(limits.admit(["default"], "key 1")).toEqual({ policy: '"default";q=2;w=60', state: '"default";r=1;t=60' });
    pass(18.5);
    expect(limits.admit(["default"], "key 1")?.state).toBe('"default";r=0;t=42');
    const refusal = refusalOf(() => limits.admit(["default"], "key 1"));
    expect(refusal).toMatchObject({ code: "rate_limited", status: 429 });
    expect(refusal.extras).toEqual({
      more: { "violated-policies": ["default"] },
      headers: { "retry-after": "42", "ratelimit-policy": '"default";q=2;w=60', ratelimit: '"default";r=0;t=42' },
    });
    pass(41.5);
    expect(limits.admit(["default"], "key 1")?.state).toBe('"default";r=1;t=60');
  });

  test("never says to retry in 0 seconds", () => {
    const { limits, pass } = withClock(policies({ default: { quota: 1, windowSeconds: 60 } }));
    limits.admit(["default"], "key 1");
    pass(59.9999);
    expect(refusalOf(() => limits.admit(["default"], "key 1")).extras.headers?.["retry-after"]).toBe("1");
  });

  test("counts each subject and each name for itself", () => {
    const { limits } = withClock(policies({ write: { quota: 1, windowSeconds: 60 } }));
    expect(limits.admit(["default", "write"], "key 1")).toEqual({
      policy: '"default";q=6000;w=60, "write";q=1;w=60',
      state: '"default";r=5999;t=60, "write";r=0;t=60',
    });
    expect(refusalOf(() => limits.admit(["default", "write"], "key 1")).extras.more).toEqual({
      "violated-policies": ["write"],
    });
    expect(() => limits.admit(["default"], "key 1")).not.toThrow();
    expect(() => limits.admit(["default", "write"], "key 2")).not.toThrow();
  });

  test("uncounts a call whose effect was undone, and never counts below zero", () => {
    const { limits } = withClock(policies({ invite: { quota: 1, windowSeconds: 60 } }));
    limits.refund("invite", "project 1");
    limits.admit(["invite"], "project 1");
    limits.refund("invite", "project 1");
    limits.refund("invite", "project 1");
    limits.admit(["invite"], "project 1");
    expect(() => limits.admit(["invite"], "project 1")).toThrow(Problem);
  });

  test("many made-up subjects neither lock others out nor reset a subject that has reached it", () => {
    const { limits } = withClock(policies({ sign_in_failure: { quota: 2, windowSeconds: 900 } }));
    const fail = (subject: string) => limits.admit(["sign_in_failure"], subject);
    fail("guessed");
    fail("guessed");
    for (let index = 0; index < 100_100; index++) fail(`made up ${index}`);
    for (let index = 0; index < 20; index++) expect(() => fail(`other ${index}`)).not.toThrow();
    expect(() => fail("guessed")).toThrow(Problem);
  });

  test("all addresses of an IPv6 network count as one, and an IPv4 address counts as one in any spelling", () => {
    const { limits } = withClock(policies({ sign_in: { quota: 2, windowSeconds: 60 } }));
    const call = (ip: string) => limits.admit(["sign_in"], ip);
    call("2001:db8:1:2::1");
    call("2001:DB8:0001:2:aaaa:bbbb:cccc:dddd");
    expect(() => call("2001:db8:1:2:0:0:0:5")).toThrow(Problem);
    expect(() => call("2001:db8:1:3::1")).not.toThrow();
    for (const ip of ["10.0.0.1", "::ffff:10.0.0.1"]) call(ip);
    expect(() => call("::FFFF:10.0.0.1")).toThrow(Problem);
    expect(() => call("::ffff:10.0.0.2")).not.toThrow();
    expect(["::1", "::", "fe80::1:2:3:4", "1::8", "address:a@x.example"].map(subjectOf)).toEqual([
      "0:0:0:0::/64",
      "0:0:0:0::/64",
      "fe80:0:0:0::/64",
      "1:0:0:0::/64",
      "address:a@x.example",
    ]);
  });

  test("can be off, and then sends no headers", () => {
    const limits = createRateLimits("off");
    expect(limits.admit(["default"], "key 1")).toBeNull();
  });

  test("has the documented defaults", () => {
    expect(defaultPolicies).toMatchObject({
      default: { quota: 6000, windowSeconds: 60 },
      write: { quota: 1200, windowSeconds: 60 },
      invite: { quota: 200, windowSeconds: 3600 },
    });
  });
});

describe("over the operations", () => {
  test("what one key is refused takes nothing from the other keys of its account", async () => {
    const rateLimits = policies({
      default: { quota: 3, windowSeconds: 60 },
      account: { quota: 6, windowSeconds: 60 },
    });
    const team = await startTeam("sqlite", { rateLimits });
    const { body } = await team.call("auth/keys/create", {}, { as: team.owner });
    const statusOf = async (apiKey: string) =>
      (await team.call("auth/info", {}, { as: { ...team.owner, apiKey } })).status;
    for (let i = 0; i < 10; i++) await statusOf(team.owner.apiKey);
    expect([await statusOf(team.owner.apiKey), await statusOf(body.api_key)]).toEqual([429, 200]);
  });

  test("an account with many keys has one share, and others have theirs", async () => {
    const team = await startTeam("sqlite", { rateLimits: policies({ account: { quota: 6, windowSeconds: 60 } }) });
    const keys = [team.owner.apiKey];
    for (let i = 0; i < 3; i++) keys.push((await team.call("auth/keys/create", {}, { as: team.owner })).body.api_key);
    const info = (apiKey: string | undefined) =>
      team.call("auth/info", {}, { as: { ...team.owner, apiKey: apiKey ?? "" } });
    const first = await info(keys[1]);
    expect([first.status, first.headers["ratelimit-policy"]]).toEqual([200, '"default";q=6000;w=60']);
    expect((await info(keys[2])).status).toBe(200);
    for (const key of keys) {
      const refused = await info(key);
      expect(refused.body).toMatchObject({ code: "rate_limited", "violated-policies": ["account"] });
      expect(refused.headers["ratelimit-policy"]).toBe('"account";q=6;w=60');
    }
    const { owner } = await team.neighbour();
    expect((await team.call("auth/info", {}, { as: owner })).status).toBe(200);
  });

  test("every response has the remaining quota; a key without quota is refused with the time to wait", async () => {
    const team = await startTeam("sqlite", { rateLimits: policies({ default: { quota: 3, windowSeconds: 60 } }) });
    const first = await team.call("auth/info", {}, { as: team.owner });
    expect(first.headers["ratelimit-policy"]).toBe('"default";q=3;w=60');
    expect(first.headers.ratelimit).toMatch(/^"default";r=1;t=\d+$/);
    await team.call("auth/info", {}, { as: team.owner });
    const refused = await team.call("auth/info", {}, { as: team.owner });
    expect(refused.body).toMatchObject({
      status: 429,
      code: "rate_limited",
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      "violated-policies": ["default"],
    });
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
    const other = await team.colleague("other");
    expect((await team.call("auth/info", {}, { as: other })).status).toBe(200);
  });

  test("changes have a separate limit, and reads still work when it is used up", async () => {
    const team = await startTeam("sqlite", { rateLimits: policies({ write: { quota: 2, windowSeconds: 60 } }) });
    const rename = () => team.call("projects/update", { name: "Another" }, team.inProject(team.owner));
    expect((await rename()).headers["ratelimit-policy"]).toBe('"default";q=6000;w=60, "write";q=2;w=60');
    expect((await rename()).body).toMatchObject({ code: "rate_limited", "violated-policies": ["write"] });
    expect((await team.call("projects/get", {}, team.inProject(team.owner))).status).toBe(200);
  });

  test("only invites that were actually created or sent again count against the project's", async () => {
    const team = await startTeam("sqlite", { rateLimits: policies({ invite: { quota: 2, windowSeconds: 3600 } }) });
    const invite = (email: string, granted = asRole("viewer"), project = team.projectId) =>
      team.call("auth/invite/create", { email, permissions: granted }, { as: team.owner, project });
    const { invite_code } = (await invite("a@example.com")).body;
    for (let i = 0; i < 5; i++) expect((await invite("a@example.com")).body.code).toBe("invite_already_pending");
    expect((await invite("b@example.com", permissions("nonsense"))).status).toBe(422);
    expect((await team.call("auth/invite/resend", { invite_code }, team.inProject(team.owner))).status).toBe(200);
    expect((await invite("b@example.com")).body).toMatchObject({ status: 429, "violated-policies": ["invite"] });
    expect((await invite("b@example.com", asRole("viewer"), await team.project(team.owner))).status).toBe(200);
  });

  test("wrong credentials are counted against their sender, whose good key still works", async () => {
    const team = await startTeam("sqlite", { rateLimits: policies({ auth_failure: { quota: 2, windowSeconds: 60 } }) });
    const guess = (authorization: string) => team.call("auth/info", {}, { authorization });
    expect((await guess("nonsense")).status).toBe(401);
    expect((await guess(`Bearer :${newApiKey("us")}`)).status).toBe(401);
    expect((await guess(`Bearer :${newApiKey("us")}`)).body).toMatchObject({
      status: 429,
      "violated-policies": ["auth_failure"],
    });
    expect((await team.call("auth/info", {}, { as: team.owner })).status).toBe(200);
  });

  test("made-up sessions of one sender do not affect the refusal of another's ended session", async () => {
    const team = await startTeam("sqlite", { rateLimits: policies({ auth_failure: { quota: 2, windowSeconds: 60 } }) });
    const ended = async (token: string, remoteAddress: string) => {
      const headers = { cookie: `__Host-sb_session_us=${token.repeat(43)}`, origin: "http://us.test" };
      const wanted = { method: "POST" as const, url: "/latest/auth/info", headers, payload: {}, remoteAddress };
      return (await team.app.inject(wanted)).statusCode;
    };
    for (const token of ["a", "b", "c", "d"]) await ended(token, "192.0.2.1");
    expect(await ended("e", "192.0.2.2")).toBe(401);
  });
});
