import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createDeploymentSandbox } from "../../../../sandboxes/deployment/deployment.ts";
import { type DriveAt, driveStep, driveWork, startSandbox } from "../../../../test/support/systems/drive-step.ts";
import { describeInput } from "../../../kernel/parse-within.ts";
import { StepFailed } from "../../work.ts";
import { deployment } from "../system.ts";
import { deploymentApiCall } from "./deployment-api-call.ts";

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let at: DriveAt;
let ids: Record<string, string>;
let tokens: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox(createDeploymentSandbox);
  const { credentials, ids: seeded } = (await sandbox.control("")) as Record<string, Record<string, string>>;
  ids = seeded ?? {};
  tokens = credentials ?? {};
  const identity = { label: "acme", team_id: ids.team_id ?? "" };
  at = { addresses: { main: sandbox.url }, token: tokens.token ?? "", identity };
});
beforeEach(() => sandbox.control("/reset", {}));
afterAll(() => sandbox.stop());

type Output = { status: number; headers: Record<string, string>; body: Record<string, never> };
const call = async (input: Record<string, unknown>, more: Partial<DriveAt> = {}) => {
  const driven = await driveStep(deploymentApiCall, input, { ...at, ...more });
  return {
    ...driven,
    output: driven.output as Output & { items: Record<string, string>[]; pages: number; next: string | null },
  };
};
const get = (path: string, more = {}) => call({ method: "GET", path, ...more });
const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StepFailed)) throw new Error(`It did not fail: ${error}`);
  return error.failure;
};

describe("every endpoint of the requirement", () => {
  const running = async () => {
    const body = { name: "web", project: "web", gitSource: { type: "github", org: "acme", repo: "web", ref: "main" } };
    const { output } = await call({ method: "POST", path: "/v13/deployments", body });
    return { id: String(output.body.id) };
  };
  const domain = { name: "new.acme.example" };
  const withDomain = async () => {
    await call({ method: "POST", path: "/v10/projects/web/domains", body: domain });
    return { domain: domain.name };
  };
  const named = (name: string) => () => Promise.resolve({ id: ids[name] ?? "" });
  type Before = () => Promise<Record<string, string>>;
  const rows: [string, string, { before?: Before; body?: object }?][] = [
    ["GET", "/v6/deployments"],
    ["GET", "/v13/deployments/{id}", { before: named("deployment_id") }],
    [
      "POST",
      "/v13/deployments",
      { body: { name: "made", projectSettings: {}, files: [{ file: "index.html", data: "x" }] } },
    ],
    ["PATCH", "/v12/deployments/{id}/cancel", { before: running }],
    ["DELETE", "/v13/deployments/{id}", { before: named("deployment_id") }],
    ["GET", "/v9/projects"],
    ["GET", "/v9/projects/{id}", { before: named("project_id") }],
    ["POST", "/v10/projects", { body: { name: "made-by-a-step" } }],
    ["PATCH", "/v9/projects/{id}", { before: named("project_id"), body: { framework: "vite" } }],
    ["DELETE", "/v9/projects/{id}", { before: named("unlinked_project_id") }],
    ["GET", "/v5/domains"],
    ["GET", "/v5/domains/{domain}", { before: () => Promise.resolve({ domain: ids.domain ?? "" }) }],
    ["POST", "/v10/projects/web/domains", { body: domain }],
    ["DELETE", "/v9/projects/web/domains/{domain}", { before: withDomain }],
    ["GET", "/v9/projects/web/env"],
    ["POST", "/v10/projects/web/env", { body: { key: "NEW", value: "1", type: "plain", target: ["preview"] } }],
    ["PATCH", "/v9/projects/web/env/{id}", { before: named("env_id"), body: { comment: "changed" } }],
    ["DELETE", "/v9/projects/web/env/{id}", { before: named("env_id") }],
    ["GET", "/v2/teams"],
    ["GET", "/v2/teams/{id}", { before: named("team_id") }],
    ["GET", "/v2/teams/{id}/members", { before: named("team_id") }],
  ];
  test.each(rows)("%s %s", async (method, template, { before, body } = {}) => {
    const values = (await before?.()) ?? {};
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
    const { output, requests } = await call({ method, path, ...(body && { body }) });
    expect(output.status).toBeLessThan(300);
    expect(output.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
    expect(requests[0]?.query?.teamId).toBe(ids.team_id);
  });
});

describe("examples", () => {
  test.each(deploymentApiCall.examples.map(({ title, input }) => [title, input] as const))("%s", async (_, input) => {
    expect((await call(input)).output).not.toEqual({});
  });
});

describe("all pages", () => {
  test.each([
    ["/v9/projects?limit=10", 25, 3],
    ["/v10/projects?limit=10", 25, 3],
    ["/v5/domains?limit=10", 24, 3],
    ["/v6/deployments", 300, 3],
    ["/v9/projects/web/env", 5, 1],
    ["/v2/teams", 2, 1],
    ["/v9/projects/web", 1, 1],
  ])("%s: %s records on %s pages", async (path, count, pages) => {
    const { output } = await get(path, { all_pages: true });
    expect([output.items.length, output.pages, output.next]).toEqual([count, pages, null]);
    expect(new Set(output.items.map((item) => item.uid ?? item.id ?? item.name)).size).toBe(count);
  });

  test("members of a team, to the end", async () => {
    const { output } = await get(`/v2/teams/${ids.team_id}/members`, { all_pages: true, query: { limit: 10 } });
    expect([output.items.length, output.next]).toEqual([27, null]);
  });

  test("a resume token belongs to exactly its query", async () => {
    const { next } = (await get("/v6/deployments", { all_pages: true, max_items: 7, query: { state: "READY" } }))
      .output;
    const input = { method: "GET", path: "/v6/deployments", all_pages: true, after: next };
    const isRight = (more: object) => deploymentApiCall.input.safeParse({ ...input, ...more }).success;
    expect(isRight({ query: { state: "ERROR" } })).toBe(false);
    expect(isRight({ path: "/v6/deployments?state=READY" })).toBe(true);
  });

  test("max_items ends it, and `after` continues", async () => {
    const part = (await get("/v6/deployments", { all_pages: true, max_items: 130 })).output;
    const rest = (await get("/v6/deployments", { after: part.next })).output;
    expect([part.items.length, rest.items.length, rest.next]).toEqual([130, 170, null]);
    expect(new Set([...part.items, ...rest.items].map(({ uid }) => uid)).size).toBe(300);
  });
});

describe("scope and failures", () => {
  test("the caller's own team wins over the account's", async () => {
    const { output } = await get("/v9/projects", { query: { teamId: ids.other_team_id } });
    expect(output.body.projects).toMatchObject([{ name: "experiments" }]);
    expect((await get("/v9/projects?slug=acme-labs")).output.body.projects).toMatchObject([{ name: "experiments" }]);
  });

  test.each([
    ["bad token", () => ({ token: "wrong" }), "GET", "/v9/projects", "needs_reconnect"],
    ["expired token", () => ({ token: tokens.expired_token ?? "" }), "GET", "/v9/projects", "needs_reconnect"],
    ["not in the team", () => ({ token: tokens.outsider_token ?? "" }), "GET", "/v9/projects", "permission_denied"],
    ["missing right", () => ({ token: tokens.viewer_token ?? "" }), "DELETE", "/v9/projects/web", "permission_denied"],
    [
      "wrong scope",
      () => ({ token: tokens.team_token ?? "", identity: { label: "x" } }),
      "GET",
      "/v9/projects",
      "permission_denied",
    ],
    ["no team named", () => ({ identity: { label: "x" } }), "GET", "/v9/projects/web", "not_found_there"],
    ["wrong verb", () => ({}), "PUT", "/v9/projects", "invalid_there"],
    ["unknown path", () => ({}), "GET", "/v9/nothing", "not_found_there"],
  ])("%s", async (_, more, method, path, code) => {
    expect(await failureOf(call({ method, path }, more()))).toMatchObject({ code });
  });

  test("a used-up allowance is a wait until it starts anew", async () => {
    await sandbox.control("/limits", { projects_read_per_minute: 1 });
    await get("/v9/projects");
    const failure = await failureOf(get("/v9/projects"));
    expect(failure.code).toBe("rate_limited");
    expect(failure.waitSeconds).toBeGreaterThan(0);
    expect(failure.waitSeconds).toBeLessThanOrEqual(60);
  });

  test("a variable that is there already is a conflict that names it; a batch made in part is a warning", async () => {
    const there = { key: "API_URL", value: "x", type: "plain", target: ["production"] };
    const path = "/v10/projects/web/env";
    const failure = await failureOf(call({ method: "POST", path, body: there }));
    expect(failure).toMatchObject({ code: "conflict_there", detail: expect.stringContaining("API_URL (production") });
    const fresh = { key: "FRESH", value: "x", type: "plain", target: ["production"] };
    const { output, warnings } = await call({ method: "POST", path, body: [there, fresh] });
    expect([output.status, warnings]).toEqual([201, [expect.stringMatching(/^Not made: API_URL/)]]);
  });
});

describe("what is easily missed", () => {
  test("values that cannot be read say so", async () => {
    const { warnings } = await get("/v9/projects/web/env");
    expect(warnings).toEqual([
      expect.stringMatching(/^Shown encrypted: .*DATABASE_URL/),
      "Write-only, so without a value: PAYMENT_KEY.",
    ]);
  });

  test("a domain that was added and is not verified says what to do", async () => {
    const path = "/v10/projects/web/domains";
    const { warnings } = await call({ method: "POST", path, body: { name: "www.elsewhere.example" } });
    expect(warnings).toEqual([expect.stringMatching(/not verified yet: set the TXT record/)]);
  });
});

describe("headers", () => {
  test("those of one's own go along, and the type of the body stays ours", async () => {
    const { requests } = await get("/v9/projects", {
      headers: { "X-Trace": "1", Accept: "application/json", "content-type": "application/json" },
    });
    expect(requests[0]?.headers).toEqual({ "x-trace": "1", accept: "application/json" });
  });

  test("cookies of the platform are not shown", async () => {
    await sandbox.control("/faults", {
      match: { path: "/v2/user" },
      times: 1,
      status: 200,
      headers: { "set-cookie": "a=b" },
      body: {},
    });
    expect((await get("/v2/user")).output.headers).not.toHaveProperty("set-cookie");
  });
});

describe("bad input", () => {
  const header = (name: string, value = "x") => ({ method: "GET", path: "/v2/user", headers: { [name]: value } });
  test.each([
    [{ method: "HEAD", path: "/v2/user" }, ["method"]],
    [{ method: "GET", path: "v2/user" }, ["path"]],
    [{ method: "GET", path: "/user" }, ["path"]],
    [{ method: "GET", path: "/v9/../v2/user" }, ["path"]],
    [{ method: "GET", path: "//evil.example/v2/user" }, ["path"]],
    [{ method: "GET", path: "https://evil.example/v2/user" }, ["path"]],
    [{ method: "GET", path: "/v2/user", body: {} }, ["body"]],
    [{ method: "POST", path: "/v2/user", body: "text" }, ["body"]],
    [{ method: "POST", path: "/v2/user", all_pages: true }, ["all_pages"]],
    [{ method: "GET", path: "/v2/user", all_pages: true, after: "x" }, ["after"]],
    [{ method: "GET", path: "/v2/user", query: { a: { b: 1 } } }, ["query.a"]],
    [{ method: "GET", path: "/v2/user", query_parameters: {} }, [""]],
    [header("Authorization"), ["headers.Authorization"]],
    [header("cookie"), ["headers.cookie"]],
    [header("Host"), ["headers.Host"]],
    [header("Content-Length"), ["headers.Content-Length"]],
    [header("Transfer-Encoding"), ["headers.Transfer-Encoding"]],
    [header("Proxy-Authorization"), ["headers.Proxy-Authorization"]],
    [header("X-Forwarded-Host"), ["headers.X-Forwarded-Host"]],
    [header("X-HTTP-Method-Override"), ["headers.X-HTTP-Method-Override"]],
    [header("x-original-url"), ["headers.x-original-url"]],
    [header("sec-fetch-site"), ["headers.sec-fetch-site"]],
    [header("x-session-token"), ["headers.x-session-token"]],
    [header("x-vercel-ip-country"), ["headers.x-vercel-ip-country"]],
    [header("x-a b"), ["headers.x-a b"]],
    [header("x-trace", "a\r\nHost: evil"), ["headers.x-trace"]],
    [header("content-type", "text/plain"), ["headers.content-type"]],
  ])("%j is refused before anything is sent", (input, fields) => {
    expect(deploymentApiCall.input.safeParse(input).error?.issues.map(({ path }) => path.join("."))).toEqual(fields);
  });

  // "`x-vercel-*` headers that are harmless and documented are let through by an allowlist with reasons."
  test.each(["x-vercel-digest", "X-Now-Digest", "x-now-size"])("%s may be set", (name) => {
    expect(deploymentApiCall.input.safeParse(header(name, "1")).error).toBeUndefined();
  });

  test("what it takes and gives can be shown as JSON Schema", () => {
    expect(describeInput(deploymentApiCall.input)).toMatchObject({ required: ["method", "path"] });
    expect(z.toJSONSchema(deploymentApiCall.output)).toMatchObject({ type: "object" });
  });
});

describe("drop-downs", () => {
  const offer = async (field: string, query: string, input = {}) => {
    const work = deploymentApiCall.options?.[field]?.work({ query, after: null, input });
    if (!work) throw new Error("There is no such drop-down.");
    return (await driveWork(work, deployment, at)).result.options;
  };

  test("known paths by words and method", async () => {
    expect((await offer("path", "variable", { method: "POST" })).map(({ value }) => value)).toEqual([
      "/v10/projects/{id}/env",
    ]);
  });

  test("teams of the account", async () => {
    expect(await offer("query.teamId", "labs")).toMatchObject([{ value: ids.other_team_id, label: "Acme Labs" }]);
  });
});
