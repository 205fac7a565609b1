import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { baseUrls, startApp, type TestApp } from "../../test/support/app.ts";
import { operations } from "../api/index.ts";
import { problemsOf } from "../api/reference/problems-of-operation.ts";
import { problems } from "../kernel/problem.ts";
import { ssoPageProblems } from "../kernel/problems/single-sign-on.ts";
import { consolePaths, unknownConsolePaths } from "./console/console-paths.ts";
import { siteFiles } from "./documentation/site-files.ts";
import { openApiDocument } from "./openapi.ts";
import { signInPaths } from "./sign-in/serve-sign-in.ts";

interface Described {
  "x-required-role": string;
  operationId: string;
  summary: string;
  responses: Record<string, unknown>;
  requestBody: { content: { "application/json": { example: unknown } } };
}

const document = openApiDocument(baseUrls.us) as {
  paths: Record<string, { post: Described }>;
  openapi: string;
  components: { schemas: Record<string, unknown>; securitySchemes: { session: { name: string } } };
};

/** "The exceptions are GET": those of the contract that exist so far, and what the reference page is made of. */
const pages = [
  ...consolePaths.map((path) => path.replace(/:(\w+)/g, "{$1}")),
  "/healthz",
  "/oauth/start",
  "/oauth/callback",
  "/readyz",
  "/metrics",
  "/latest/openapi.json",
  "/latest/documentation",
  ...signInPaths,
];

/** One route serves them all. */
const documentationPages = Object.keys(siteFiles(baseUrls.us, "us"))
  .filter((path) => path !== "")
  .map((path) => `/latest/documentation/${path}`);

/** "Everything under /sso/": from which browsers are redirected, and to which they return. Providers post to one of them. */
const signOnPages = [
  "/sso/start",
  "/sso/oidc/callback",
  ...["acs", "finish", "metadata"].map((last) => `/sso/saml/{provider_id}/${last}`),
];

/** Everything below is the protocol's own, a page of the documentation, or an unknown page of the console. The router's picture leaves out the slash before a star. */
const wholeFolders = [
  ...[
    "/scim/v2",
    "/mcp",
    "/oauth/register",
    "/oauth/token",
    "/oauth/revoke",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
  ].flatMap((path) => [path, `${path}*`]),
  "/latest/documentation*",
  ...unknownConsolePaths.map((path) => path.replace("/*", "*").replace(/:(\w+)/g, "{$1}")),
];

/** Every path the router knows, read from its own picture of them: each line is indented by its depth. */
async function registeredPaths({ app }: TestApp): Promise<string[]> {
  await app.ready();
  const above: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", part = ""] = /^([│├└─\s]*)(\S+) \(/.exec(line) ?? [];
      if (part === "") return [];
      const depth = indent.length / 4;
      above.length = depth;
      above[depth - 1] = part;
      return [above.join("").replace(/:(\w+)/g, "{$1}")];
    });
}

describe("OpenAPI", () => {
  test("the paths served are those described, and the listed pages", async () => {
    const served = await registeredPaths(await startApp("sqlite"));
    expect(served.sort()).toEqual(
      [...Object.keys(document.paths), ...pages, "/console/{file}", ...signOnPages, ...wholeFolders].sort(),
    );
  });

  test("every operation serves POST, every page GET, and no other method", async () => {
    const { app } = await startApp("sqlite");
    const statusOf = async (method: "GET" | "POST", url: string) => (await app.inject({ method, url })).statusCode;
    for (const path of Object.keys(document.paths)) {
      expect([path, await statusOf("POST", path), await statusOf("GET", path)]).toEqual([path, 415, 405]);
    }
    for (const page of [...pages, ...documentationPages]) {
      // Under an id it may be a call that forgot /latest/: its path does not exist.
      expect([page, await statusOf("POST", page)]).toEqual([page, page.includes("{project_id}") ? 404 : 405]);
      // The last one reports a request without a preceding redirect.
      const expected = /^\/oauth\/(?!authorize)/.test(page) ? [400] : [200, 302];
      expect(expected).toContain(await statusOf("GET", page));
    }
    for (const page of ["", "nothing", "scim/nothing", "constructor"]) {
      expect([page, await statusOf("GET", `/latest/documentation/${page}`)]).toEqual([page, 404]);
    }
  });

  test("the document is served as it is written", async () => {
    const { app } = await startApp("sqlite");
    const answer = await app.inject({ method: "GET", url: "/latest/openapi.json" });
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify(document)));
    expect(document.openapi).toBe("3.1.0");
  });

  test("every operation says which role it needs, and the document repeats it", () => {
    for (const { path, needs } of operations) {
      expect(needs).toMatch(/^(nobody|account|full key|organization owner|project (viewer|editor|admin))$/);
      expect([path, document.paths[path]?.post["x-required-role"]]).toEqual([path, needs]);
    }
    for (const { post } of Object.values(document.paths)) expect(post["x-required-role"]).toBeTypeOf("string");
    const ids = Object.values(document.paths).map(({ post }) => post.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("every operation without credentials is refused: none is left open by mistake", async () => {
    const { call } = await startApp("sqlite");
    for (const { path } of operations.filter(({ needs }) => needs !== "nobody")) {
      const { status, body } = await call(path.slice("/latest/".length).replace(/[{}]/g, ""), {});
      expect([path, status, body.code]).toEqual([path, 401, "credentials_missing"]);
    }
  });

  test("every problem of an operation is declared under its status, with its sentence", () => {
    for (const operation of operations) {
      const responses = document.paths[operation.path]?.post.responses;
      for (const code of problemsOf(operation)) {
        expect(JSON.stringify(responses?.[problems[code].status])).toContain(`\`${code}\`: `);
      }
    }
  });

  // "List them in OpenAPI with only 401/501." `default` is for linters, which ask for a response that is no error.
  test("deleting a project is declared with 401 and 501 only", () => {
    for (const path of ["/latest/projects/delete", "/latest/projects/{project_id}/delete"]) {
      expect(Object.keys(document.paths[path]?.post.responses ?? {})).toEqual(["401", "501", "default"]);
    }
  });

  test("a list of records and an operation on one record refer to the same named schema", () => {
    const { schemas } = document.components;
    const named = ["Run", "Tool", "Agent", "Connection", "Project", "Invite", "Key", "Step", "Schedule", "Webhook"];
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining([...named, "Problem"]));
    const listed = Object.values(document.paths)
      .map(({ post }) => JSON.stringify(post.responses[200] ?? {}))
      .filter((text) => text.includes('"results"'));
    expect(listed.length).toBeGreaterThan(30);
    const records = listed.filter((text) => /"results":\{"type":"array","items":\{"type"/.test(text));
    // The values of a drop-down, and the totals of failed deliveries, are not records that another operation returns.
    expect(records.length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(document.paths["/latest/runs/{run_id}/get"]?.post.responses[200])).toContain('/schemas/Run"');
  });

  test("an operationId is a verb and a noun, and a generated client's method", () => {
    const idAt = (path: string) => document.paths[`/latest/${path}`]?.post.operationId;
    expect(idAt("steps/{step_id}/run")).toBe("runStep");
    expect(idAt("projects/create")).toBe("createProject");
    expect(idAt("runs/list")).toBe("listRuns");
    expect(idAt("auth/keys/list")).toBe("listKeys");
    expect(idAt("sandboxes/list")).toBe("listSandboxes");
    expect(idAt("directory/list")).toBe("listDirectories");
    expect(idAt("webhooks/{webhook_id}/rotate_secret")).toBe("rotateWebhookSecret");
    expect(idAt("tools/{tool_id}/versions")).toBe("listToolVersions");
    for (const { post } of Object.values(document.paths)) {
      expect(post.operationId).toMatch(/^[a-z]+([A-Z][a-z]*)+$/);
      const [first = ""] = post.operationId.split(/[A-Z]/);
      expect(verbs, post.operationId).toContain(first);
    }
  });

  test("the status tells a dry run from a run", () => {
    const answer = JSON.stringify(document.paths["/latest/steps/{step_id}/run"]?.post.responses[200]);
    expect(answer).toContain('"discriminator":{"propertyName":"status"');
    expect(answer).toContain('"succeeded":"#/components/schemas/StepRun"');
    expect(answer).toContain('"dry_run":"#/components/schemas/DryRun"');
  });

  test("the session cookie has its real name, that of the region", () => {
    expect(document.components.securitySchemes.session.name).toBe("__Host-sb_session_us");
    expect(JSON.stringify(openApiDocument(baseUrls.eu, "eu"))).toContain('"name":"__Host-sb_session_eu"');
  });

  test("every example is a body that its operation accepts", () => {
    for (const operation of operations) {
      const { success } = operation.input.safeParse(withPlainIds(operation.example));
      expect([operation.path, success]).toEqual([operation.path, true]);
    }
  });

  test("every code that a rule throws is declared by some operation", () => {
    const declared = new Set<string>(operations.flatMap(problemsOf));
    const thrown = ["access", "identity", "api"].flatMap((room) => {
      const folder = new URL(`../${room}/`, import.meta.url);
      const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
      return files.flatMap((name) => [...readFileSync(new URL(name, folder), "utf8").matchAll(/Problem\("(\w+)"/g)]);
    });
    const codes = new Set(thrown.map((match) => match[1] as string));
    expect(codes.size).toBeGreaterThan(20);
    const shown = (code: string) => declared.has(code) || Object.hasOwn(ssoPageProblems, code);
    expect([...codes].filter((code) => !shown(code))).toEqual([]);
  });
});

/** Examples shorten ids to `org_us_…`, which is no id. */
const withPlainIds = (example: unknown): unknown => JSON.parse(JSON.stringify(example).replaceAll("…", "0"));

const verbs = [
  ...[
    "accept",
    "add",
    "advance",
    "allow",
    "approve",
    "begin",
    "cancel",
    "change",
    "check",
    "confirm",
    "connect",
    "create",
  ],
  ...["deactivate", "delete", "describe", "enable", "export", "finish", "get", "import", "list", "pause", "publish"],
  ...[
    "reactivate",
    "read",
    "register",
    "release",
    "remove",
    "rename",
    "replay",
    "request",
    "reroll",
    "resend",
    "reset",
  ],
  ...["resolve", "restore", "resume", "revoke", "rotate", "run", "search", "send", "set", "sign", "test", "trigger"],
  ...["unregister", "update", "validate", "verify", "watch"],
];
