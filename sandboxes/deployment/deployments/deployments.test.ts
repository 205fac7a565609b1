import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const files = [{ file: "index.html", data: "<h1>Hello</h1>" }];

async function create(body: object = {}) {
  const { status, body: created } = await sandbox.call("/v13/deployments", {
    method: "POST",
    body: { name: "web", files, projectSettings: {}, ...body },
  });
  expect(status).toBe(200);
  return created;
}

const read = async (id: string) => (await sandbox.call(`/v13/deployments/${id}`)).body;

describe("a build", () => {
  test("moves by the clock and tells its times", async () => {
    const { id, createdAt } = await create({ target: "production" });
    await sandbox.advance(60);
    const done = await read(id);
    expect(done).toMatchObject({
      readyState: "READY",
      status: "READY",
      aliasAssigned: true,
      readySubstate: "PROMOTED",
    });
    expect(done.bootedAt - createdAt).toBeGreaterThanOrEqual(2000);
    expect([done.buildingAt - done.bootedAt, done.ready - done.buildingAt]).toEqual([1000, 5000]);
    expect(done.alias).toEqual(["www.acme.example", "web-acme.vercel.app"]);
    expect((await read("www.acme.example")).id).toBe(id);
  });

  test.each(["playground-fails", "shop"])("of %s fails when a name says so", async (project) => {
    const repo = await sandbox.call(`/v9/projects/${project}`);
    const gitSource = { type: "github", repoId: repo.body.link.repoId, ref: "fix/fails-on-purpose" };
    const { id } = await create({ project, files: undefined, gitSource });
    await sandbox.advance(60);
    expect(await read(id)).toMatchObject({
      readyState: "ERROR",
      errorCode: "BUILD_UTILS_SPAWN_1",
      errorMessage: 'Command "npm run build" exited with 1',
      errorStep: "buildStep",
      aliasAssigned: false,
    });
  });

  test("waits in the queue when all slots are taken", async () => {
    await sandbox.limit({ concurrent_builds: 1 });
    const [first, second] = [await create(), await create()];
    await sandbox.advance(4);
    expect((await read(first.id)).readyState).toBe("BUILDING");
    expect(await read(second.id)).toMatchObject({ readyState: "QUEUED", isInConcurrentBuildsQueue: true });
    await sandbox.call(`/v12/deployments/${first.id}/cancel`, { method: "PATCH" });
    expect(await read(second.id)).toMatchObject({ readyState: "INITIALIZING", isInConcurrentBuildsQueue: false });
  });

  test("is READY and not served, slow, or held back, when a name says so", async () => {
    const names = ["with-alias-error", "slow-site", "blocked-site"];
    const made = await Promise.all(names.map((name) => create({ name, target: "production" })));
    await sandbox.advance(20);
    const [unserved, slow, held] = await Promise.all(made.map(({ id }) => read(id)));
    expect(unserved).toMatchObject({
      readyState: "READY",
      aliasAssigned: false,
      aliasError: { code: "invalid_alias" },
    });
    expect([slow.readyState, held.readyState]).toEqual(["BUILDING", "BLOCKED"]);
  });

  test("takes as long as the limits say, down to no time at all", async () => {
    await sandbox.limit({ queued_seconds: 0, initializing_seconds: 0, building_seconds: 0, alias_seconds: 0 });
    expect((await create()).readyState).toBe("READY");
  });
});

describe("cancel", () => {
  test.each([
    ["QUEUED", 0],
    ["INITIALIZING", 2],
    ["BUILDING", 3],
  ])("stops a deployment that is %s", async (state, seconds) => {
    const { id } = await create();
    await sandbox.advance(seconds);
    expect((await read(id)).readyState).toBe(state);
    const { status, body } = await sandbox.call(`/v12/deployments/${id}/cancel`, { method: "PATCH" });
    expect([status, body.readyState]).toEqual([200, "CANCELED"]);
    await sandbox.advance(60);
    expect(await read(id)).toMatchObject({ readyState: "CANCELED", canceledAt: body.canceledAt });
  });

  test("comes too late for a finished one", async () => {
    const { status, body } = await sandbox.call(`/v12/deployments/${sandbox.ids.deployment_id}/cancel`, {
      method: "PATCH",
    });
    expect([status, body.error.code]).toEqual([400, "bad_request"]);
  });

  // "Only while QUEUED, INITIALIZING or BUILDING"; "BLOCKED waits for a person."
  test("does nothing to one that waits for a person", async () => {
    const { id } = await create({ name: "blocked-site" });
    const { status, body } = await sandbox.call(`/v12/deployments/${id}/cancel`, { method: "PATCH" });
    expect([status, body.error.code]).toEqual([400, "bad_request"]);
    expect((await read(id)).readyState).toBe("BLOCKED");
  });

  test("can lose the race: it is answered, and the build ends all the same", async () => {
    await sandbox.limit({ cancel_race_seconds: 2 });
    const { id } = await create();
    await sandbox.advance(6.5);
    const { body } = await sandbox.call(`/v12/deployments/${id}/cancel`, { method: "PATCH" });
    expect(body.readyState).toBe("CANCELED");
    await sandbox.advance(10);
    expect((await read(id)).readyState).toBe("READY");
  });
});

describe("create", () => {
  test("refuses files that were not uploaded, by digest, and takes them once they are", async () => {
    const content = "body { color: red }";
    const sha = createHash("sha1").update(content).digest("hex");
    const body = { name: "styles", projectSettings: {}, files: [{ file: "a.css", sha, size: content.length }] };
    const before = await sandbox.call("/v13/deployments", { method: "POST", body });
    expect(before.status).toBe(400);
    expect(before.body.error).toMatchObject({ code: "missing_files", missing: [sha] });
    const headers = { "x-now-digest": sha, "x-now-size": String(content.length) };
    expect((await sandbox.call("/v2/files", { method: "POST", body: content, headers })).status).toBe(200);
    expect((await sandbox.call("/v13/deployments", { method: "POST", body })).status).toBe(200);
    const wrong = await sandbox.call("/v2/files", { method: "POST", body: "other", headers });
    expect(wrong.status).toBe(400);
  });

  test("takes a redeploy's source and the current settings", async () => {
    const earlier = await read(sandbox.ids.deployment_id);
    const again = await create({ files: undefined, deploymentId: earlier.id, meta: { action: "redeploy" } });
    expect(again).toMatchObject({ source: "redeploy", projectId: earlier.projectId, target: null });
    expect(again.meta).toMatchObject({ githubCommitSha: earlier.meta.githubCommitSha, action: "redeploy" });
    const newest = await create({ files: undefined, deploymentId: earlier.id, withLatestCommit: true });
    expect(newest.meta.githubCommitSha).not.toBe(earlier.meta.githubCommitSha);
  });

  // A source is open in the vendor's schema, unlike the body: a caller may name its repository in both ways.
  test("takes a repository that is named by id and by name", async () => {
    const { link } = (await sandbox.call("/v9/projects/web")).body;
    const { repoId, org, repo } = link;
    const made = await create({ files: undefined, gitSource: { type: "github", repoId, org, repo, ref: "main" } });
    expect(made.gitSource).toMatchObject({ type: "github", repoId, ref: "main" });
  });

  // "{type:"bitbucket", repoUuid, workspaceUuid?, ref, sha?}"
  test("names a repository in its provider's own words", async () => {
    const body = { name: "on-bitbucket", gitRepository: { type: "bitbucket", repo: "acme/web" } };
    const { link } = (await sandbox.call("/v11/projects", { method: "POST", body })).body;
    const gitSource = { type: "bitbucket", repoUuid: link.uuid, workspaceUuid: link.workspaceUuid, ref: "main" };
    const made = await create({ name: "on-bitbucket", project: "on-bitbucket", files: undefined, gitSource });
    expect(made.gitSource).toEqual({ ...gitSource, sha: expect.any(String) });
    const { gitRepo } = (await sandbox.call(`/v13/deployments/${made.id}?withGitRepoInfo=true`)).body;
    expect(gitRepo).toMatchObject({ type: "bitbucket", owner: "acme", slug: "web", repoUuid: link.uuid });
    const github = (await sandbox.call(`/v13/deployments/${sandbox.ids.deployment_id}?withGitRepoInfo=true`)).body;
    expect(github.gitRepo).toMatchObject({ type: "github", repoOwnerId: expect.any(Number) });
  });

  const post = (body: unknown, query = "") => sandbox.call(`/v13/deployments${query}`, { method: "POST", body });

  test.each([
    ["an unknown key", { name: "web", files, colour: "red" }, "bad_request"],
    ["no name", { files }, "bad_request"],
    ["the word preview", { name: "web", files, target: "preview" }, "bad_request"],
    ["a development target", { name: "web", files, target: "development" }, "bad_request"],
    ["no files", { name: "web", files: [] }, "no_files"],
    ["nothing to deploy", { name: "web" }, "no_files"],
    ["meta that is no text", { name: "web", files, meta: { a: 1 } }, "bad_request"],
    [
      "a repository of another project",
      { name: "web", gitSource: { type: "github", repoId: 1, ref: "main" } },
      "bad_request",
    ],
    ["a source without a branch", { name: "web", gitSource: { type: "github", repoId: 1 } }, "bad_request"],
    ["an unknown git provider", { name: "web", gitSource: { type: "cvs", ref: "main" } }, "bad_request"],
    ["one that objects know", { name: "web", gitSource: { type: "toString", ref: "main" } }, "bad_request"],
    // "Defines the Git Repository source to be deployed. This property can not be used in combination with `files`."
    [
      "files and a branch together",
      { name: "web", files, gitSource: { type: "github", repoId: 1, ref: "main" } },
      "bad_request",
    ],
    ["a body that is no JSON", "{", "bad_request"],
    ["a body that is a list", [], "bad_request"],
  ])("refuses %s", async (_what, body, code) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });

  // vercel/vercel#11404: "The `projectSettings` object is required for new projects."
  test("a new project needs settings, or the confirmation that none are needed", async () => {
    const refused = await post({ name: "brand-new", files });
    expect([refused.status, refused.body.error.code]).toEqual([400, "missing_project_settings"]);
    expect((await post({ name: "brand-new", files, projectSettings: { framework: null } })).status).toBe(200);
    expect((await post({ name: "newer", files }, "?skipAutoDetectionConfirmation=1")).status).toBe(200);
  });

  test("refuses an unknown project or earlier deployment", async () => {
    expect((await post({ name: "x", project: "prj_none", files })).status).toBe(404);
    expect((await post({ name: "x", deploymentId: "dpl_none" })).status).toBe(404);
  });

  test.each([402, 403, 409, 429, 500, 503])("answers %i for a project that asks for it by name", async (status) => {
    const answer = await post({ name: `sandbox-${status}`, files });
    expect(answer.status).toBe(status);
    if (status === 429) expect(answer.headers.get("retry-after")).toBe("1");
  });
});

describe("list", () => {
  const list = async (query: string) => (await sandbox.call(`/v6/deployments?${query}`)).body.deployments;

  test("is filtered by project, state, target, branch, commit, creator and meta", async () => {
    const made = await create({ target: "production", meta: { marker: "run-1", githubCommitRef: "topic" } });
    expect((await list("meta-marker=run-1")).map(({ uid }: { uid: string }) => uid)).toEqual([made.id]);
    expect((await list("branch=topic"))[0].uid).toBe(made.id);
    expect((await list("state=QUEUED,BUILDING"))[0].uid).toBe(made.id);
    for (const item of await list("projectId=web&target=preview&limit=100")) {
      expect([item.projectId, item.target]).toEqual([sandbox.ids.project_id, null]);
    }
    const [one] = await list("state=READY&limit=1");
    expect((await list(`sha=${one.meta.githubCommitSha}`))[0].uid).toBe(one.uid);
    expect(await list("users=nobody")).toEqual([]);
    expect((await list(`since=${made.createdAt - 1}`)).length).toBe(1);
    expect((await list("rollbackCandidate=1")).every(({ state }: { state: string }) => state === "READY")).toBe(true);
  });

  test("shows a deleted one only to who asks for it", async () => {
    const { id } = await create();
    const gone = await sandbox.call(`/v13/deployments/${id}`, { method: "DELETE" });
    expect(gone.body).toEqual({ uid: id, state: "DELETED" });
    expect((await sandbox.call(`/v13/deployments/${id}`)).status).toBe(404);
    expect((await sandbox.call(`/now/deployments/${id}?hard=0`, { method: "DELETE" })).status).toBe(404);
    expect((await list("limit=1"))[0].uid).not.toBe(id);
    expect((await list("state=DELETED"))[0]).toMatchObject({ uid: id, state: "DELETED" });
  });

  test.each([
    ["limit=101", 400],
    ["limit=0", 400],
    ["limit=x", 400],
    ["since=yesterday", 400],
    ["state=DONE", 400],
    ["projectId=a&projectIds=b", 422],
  ])("refuses %s", async (query, status) => {
    expect((await sandbox.call(`/v6/deployments?${query}`)).status).toBe(status);
  });

  test("is the same under every version of its path", async () => {
    for (const path of ["/v6/deployments", "/v7/deployments", "/deployments", "/v5/now/deployments"]) {
      expect((await sandbox.call(`${path}?limit=1`)).body.deployments).toHaveLength(1);
    }
  });
});
