import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const send = (method: string, path: string, body?: unknown) => sandbox.call(path, { method, body });

describe("projects", () => {
  test("version 9 pages by time", async () => {
    const first = (await sandbox.call("/v9/projects?limit=20")).body;
    expect(first.pagination).toMatchObject({ count: 20, prev: first.projects[0].createdAt });
    const second = (await sandbox.call(`/v9/projects?limit=20&until=${first.pagination.next}`)).body;
    expect(second.pagination.next).toBeNull();
    const ids = [...first.projects, ...second.projects].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(25);
  });

  test("version 10 returns an opaque cursor, and none for the page before", async () => {
    const { pagination } = (await sandbox.call("/v10/projects?limit=20")).body;
    expect(Object.keys(pagination)).toEqual(["count", "next"]);
    expect(typeof pagination.next).toBe("string");
    const rest = (await sandbox.call(`/v10/projects?from=${pagination.next}`)).body;
    expect(rest.projects).toHaveLength(5);
    expect((await sandbox.call("/v10/projects?from=nonsense")).status).toBe(400);
  });

  test("one is found by id and by name, and shows its deployments", async () => {
    const byId = (await sandbox.call(`/v9/projects/${sandbox.ids.project_id}`)).body;
    expect((await sandbox.call("/v9/projects/web")).body).toEqual(byId);
    expect(byId.targets.production.readyState).toBe("READY");
    expect(byId.latestDeployments).toHaveLength(5);
    expect(byId.alias[0]).toMatchObject({ domain: "www.acme.example", target: "PRODUCTION" });
  });

  test("an unlinked one has no link at all", async () => {
    expect((await sandbox.call(`/v9/projects/${sandbox.ids.unlinked_project_id}`)).body).not.toHaveProperty("link");
  });

  test.each([
    ["no name", {}, 400],
    ["a name in capitals", { name: "Web" }, 400],
    ["three hyphens", { name: "a---b" }, 400],
    ["a name of 101 letters", { name: "a".repeat(101) }, 400],
    ["a name that is taken", { name: "web" }, 409],
    ["an unknown key", { name: "x", nodeVersion: "22.x" }, 400],
    ["an unknown framework", { name: "x", framework: "cobol" }, 400],
    [
      "a repository without the git application",
      { name: "x", gitRepository: { type: "github", repo: "not-installed/x" } },
      400,
    ],
  ])("a create with %s is refused", async (_what, body, status) => {
    expect((await send("POST", "/v10/projects", body)).status).toBe(status);
  });

  // "400 env_key_invalid_characters ...": the answer to a create is the project, which cannot name what failed.
  test.each([
    ["a bad key", [{ key: "no-hyphens", value: "x", target: "production" }], "env_key_invalid_characters"],
    [
      "a key twice",
      [
        { key: "A", value: "x", target: ["production", "preview"] },
        { key: "A", value: "y", target: "preview" },
      ],
      "bad_request",
    ],
  ])("one with %s among its variables is not made at all", async (_what, environmentVariables, code) => {
    const { status, body } = await send("POST", "/v10/projects", { name: "with-variables", environmentVariables });
    expect([status, body.error.code]).toEqual([400, code]);
    expect((await send("GET", "/v9/projects/with-variables")).status).toBe(404);
  });

  // The vendor's schema of 2026-03 lists these; a client that follows it must not be refused.
  test("newer frameworks and settings are taken", async () => {
    const made = await send("POST", "/v11/projects", { name: "newer", framework: "tanstack-start" });
    expect([made.status, made.body.framework]).toEqual([200, "tanstack-start"]);
    const settings = { framework: "hono", staticIps: { enabled: true }, dismissedToasts: [] };
    expect((await send("PATCH", "/v9/projects/newer", settings)).body).toMatchObject({ framework: "hono" });
  });

  test("a patch changes only what is sent; a delete takes everything along and has no body", async () => {
    const made = (await send("POST", "/v10/projects", { name: "short-lived", buildCommand: "make" })).body;
    const patched = (await send("PATCH", "/v9/projects/short-lived", { name: "renamed", directoryListing: true })).body;
    expect(patched).toMatchObject({ id: made.id, name: "renamed", buildCommand: "make", directoryListing: true });
    expect((await send("PATCH", "/v9/projects/renamed", { name: "web" })).status).toBe(409);
    expect((await send("PATCH", "/v9/projects/renamed", { trustedIps: { addresses: [] } })).status).toBe(428);
    expect((await send("PATCH", "/v9/projects/renamed", { colour: "red" })).status).toBe(400);
    const gone = await send("DELETE", "/v9/projects/renamed");
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await send("DELETE", "/v9/projects/renamed")).status).toBe(404);
  });
});

describe("project domains", () => {
  const add = (body: object, project = "landing") => send("POST", `/v10/projects/${project}/domains`, body);

  test("one of the team's own is verified at once, another waits for its TXT record", async () => {
    expect((await add({ name: "landing.acme.example" })).body).toMatchObject({
      verified: true,
      apexName: "acme.example",
    });
    const other = (await add({ name: "www.new.example" })).body;
    expect(other.verification[0]).toMatchObject({ type: "TXT", domain: "_vercel.new.example" });
    const path = "/v9/projects/landing/domains/www.new.example/verify";
    expect((await send("POST", path)).body.error.code).toBe("missing_txt_record");
    await sandbox.advance(61);
    expect((await send("POST", path)).body.verified).toBe(true);
  });

  // vercel/vercel, packages/cli, add-domain-to-project.ts: it looks for its `domain` in the answer.
  test("the command line's older call answers all domains of the project, and takes one away", async () => {
    const path = "/projects/landing/alias";
    const { body } = await send("POST", path, { domain: "cli.acme.example", target: "PRODUCTION" });
    expect(body).toContainEqual(expect.objectContaining({ domain: "cli.acme.example", target: "PRODUCTION" }));
    const there = async () => (await sandbox.call("/v9/projects/landing/domains/cli.acme.example")).status;
    expect(await there()).toBe(200);
    expect((await send("DELETE", `${path}?domain=cli.acme.example`)).status).toBe(200);
    expect(await there()).toBe(404);
  });

  test("a redirect's target goes only together with it", async () => {
    await add({ name: "a.acme.example" });
    await add({ name: "b.acme.example", redirect: "a.acme.example", redirectStatusCode: 308 });
    const { body } = await sandbox.call(`/v9/projects/landing/domains?redirect=a.acme.example`);
    expect(body.domains.map(({ name }: { name: string }) => name)).toEqual(["b.acme.example"]);
    const path = "/v9/projects/landing/domains/a.acme.example";
    expect((await send("DELETE", path)).status).toBe(400);
    expect((await send("DELETE", path, { removeRedirects: true })).body).toEqual({});
    expect((await send("DELETE", path)).status).toBe(404);
  });

  // "400 bad_request: schema violation of query or body"
  test.each([[null], [[]], [{ removeRedirects: "yes" }]])("a removal with the body %j is refused", async (body) => {
    await add({ name: "c.acme.example" });
    const { status, body: answer } = await send("DELETE", "/v9/projects/landing/domains/c.acme.example", body);
    expect([status, answer.error.code]).toEqual([400, "bad_request"]);
  });

  test.each([
    ["no domain name", { name: "not a domain" }, 400],
    ["a branch and a redirect", { name: "x.acme.example", gitBranch: "dev", redirect: "y.acme.example" }, 400],
    ["a wrong redirect status", { name: "x.acme.example", redirectStatusCode: 303 }, 400],
    ["somebody else's", { name: "shop.globex.example" }, 403],
    ["one of another project", { name: "www.acme.example" }, 409],
  ])("%s is refused", async (_what, body, status) => {
    expect((await add(body)).status).toBe(status);
  });

  test("none is added while the last production deployment failed", async () => {
    expect((await add({ name: "x.acme.example" }, "playground-fails")).status).toBe(400);
  });
});

describe("environment variables", () => {
  const create = (body: unknown, query = "") => send("POST", `/v10/projects/landing/env${query}`, body);
  const entry = { key: "API_URL", value: "one", type: "encrypted", target: ["production", "preview"] };

  test("an encrypted value is shown to who asks for it, a sensitive one to nobody", async () => {
    const { id } = (await create(entry)).body.created;
    await create({ ...entry, key: "PAYMENT", type: "sensitive" });
    const [sensitive, encrypted] = (await sandbox.call("/v9/projects/landing/env")).body.envs;
    expect(encrypted).toMatchObject({ key: "API_URL", decrypted: false });
    expect(encrypted.value).not.toBe("one");
    expect(sensitive.value).toBe("");
    const [stillEmpty, shown] = (await sandbox.call("/v9/projects/landing/env?decrypt=true")).body.envs;
    expect([stillEmpty.value, shown.value, shown.decrypted]).toEqual(["", "one", true]);
    expect((await sandbox.call(`/v1/projects/landing/env/${id}`)).body.value).toBe("one");
  });

  test("a key is taken once for each target and branch", async () => {
    const { id } = (await create(entry)).body.created;
    const clash = await create({ ...entry, target: ["preview", "development"] });
    expect(clash.status).toBe(400);
    expect(clash.body.error).toMatchObject({
      code: "ENV_CONFLICT",
      envVarKey: "API_URL",
      envVarId: id,
      target: ["preview"],
    });
    expect(clash.body.failed).toHaveLength(1);
    expect((await create({ ...entry, target: ["preview"], gitBranch: "dev" })).status).toBe(201);
    expect((await create({ ...entry, target: ["development"] })).status).toBe(201);
  });

  test("an upsert replaces the value for the same targets and clashes for others", async () => {
    const { id } = (await create(entry)).body.created;
    const again = await create({ ...entry, value: "two" }, "?upsert=true");
    expect([again.status, again.body.created.id]).toEqual([201, id]);
    expect((await sandbox.call(`/v1/projects/landing/env/${id}`)).body.value).toBe("two");
    const other = await create({ ...entry, target: ["production"] }, "?upsert=true");
    expect(other.body.error.code).toBe("ENV_CONFLICT");
  });

  test("a batch succeeds in part, and fails when nothing was made", async () => {
    await create(entry);
    const half = await create([entry, { ...entry, key: "NEW" }]);
    expect([half.status, half.body.created.length, half.body.failed[0].error.code]).toEqual([201, 1, "ENV_CONFLICT"]);
    const none = await create([entry]);
    expect([none.status, none.body.error.code, none.body.failed.length]).toEqual([400, "BAD_REQUEST", 1]);
  });

  test.each([
    ["a key with a space", { ...entry, key: "A B" }, "env_key_invalid_characters"],
    ["a key of 257 letters", { ...entry, key: "A".repeat(257) }, "env_key_invalid_length"],
    ["a value too long", { ...entry, value: "a".repeat(65_537) }, "env_value_invalid_length"],
    ["no target", { key: "A", value: "b", type: "plain" }, "bad_request"],
    ["an unknown target", { ...entry, target: ["moon"] }, "bad_request"],
    ["a sensitive one for development", { ...entry, type: "sensitive", target: ["development"] }, "bad_request"],
    ["a branch for production", { ...entry, gitBranch: "dev" }, "bad_request"],
    ["an unknown key", { ...entry, colour: "red" }, "bad_request"],
    ["a comment of 501 letters", { ...entry, comment: "a".repeat(501) }, "bad_request"],
  ])("%s is refused", async (_what, body, code) => {
    const answer = await create(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });

  test("an edit keeps what it is not told, and cannot rename a sensitive one", async () => {
    const { id } = (await create({ ...entry, type: "sensitive" })).body.created;
    const path = `/v9/projects/landing/env/${id}`;
    expect((await send("PATCH", path, { value: "two" })).body).toMatchObject({ key: "API_URL", target: entry.target });
    expect((await send("PATCH", path, { key: "OTHER" })).status).toBe(400);
    expect((await send("PATCH", path, { created: 1 })).status).toBe(400);
    expect((await send("DELETE", path)).body).toMatchObject({ id, key: "API_URL" });
    expect((await send("DELETE", path)).status).toBe(404);
  });
});
