import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createDeploymentSandbox } from "../../../sandboxes/deployment/deployment.ts";
import { type DriveAt, driveStep, driveWork, sendPlain, startSandbox } from "../../../test/support/drive-step.ts";
import { type OptionSource, type Step, StepFailed } from "../define.ts";
import { lastLines } from "./build-log.ts";
import { cancelDeployment } from "./cancel-deployment.ts";
import { createDeployment } from "./create-deployment.ts";
import { gitSourceOf } from "./deployment-source.ts";
import { listDeployments } from "./list-deployments.ts";
import { readDeployment } from "./records.ts";
import { ask, deployment } from "./system.ts";

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let at: DriveAt;
let ids: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox(createDeploymentSandbox);
  const { credentials, ids: seeded } = (await sandbox.control("")) as Record<string, Record<string, string>>;
  ids = seeded ?? {};
  at = {
    addresses: { main: sandbox.url },
    token: credentials?.token ?? "",
    identity: { label: "acme", team_id: ids.team_id ?? "" },
    // While a step waits, the sandbox's time goes on.
    onPause: async ({ pauseSeconds }) => void (await sandbox.control("/clock", { advance_seconds: pauseSeconds })),
  };
});
beforeEach(() => sandbox.control("/reset", {}));
afterAll(() => sandbox.stop());

interface Made {
  deployment_id: string;
  url: string;
  state: string;
  environment: string;
  created_at: string;
}
const make = async (input: Record<string, unknown>, more: Partial<DriveAt> = {}) => {
  const driven = await driveStep(createDeployment, input, { ...at, ...more });
  return { ...driven, output: driven.output as Made };
};
const list = async (input: Record<string, unknown> = {}) => {
  const driven = await driveStep(listDeployments, input, at);
  const { deployments } = driven.output as {
    deployments: (Made & { branch: string | null; creator: string | null })[];
  };
  return { ...driven, deployments };
};
const cancel = (id: string) => driveStep(cancelDeployment, { deployment_id: id }, at);
const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StepFailed)) throw new Error(`It did not fail: ${error}`);
  return error.failure;
};
const refusedFields = (step: Step, input: unknown) =>
  step.input.safeParse(input).error?.issues.map(({ path }) => path.join(".")) ?? [];
const offer = async (source: OptionSource | undefined, query = "", input = {}, after: string | null = null) => {
  if (!source) throw new Error("There is no such drop-down.");
  return (await driveWork(source.work({ query, after, input }), deployment, at)).result;
};
const bodyOfLast = (requests: { body?: unknown }[]) => requests.at(-1)?.body as Record<string, unknown>;

describe.each([createDeployment, listDeployments, cancelDeployment])("$title", (step) => {
  test.each(step.examples.map(({ title, input }) => [title, input] as const))(
    "the example works: %s",
    async (_, input) => {
      await expect(driveStep(step, input, at)).resolves.toBeDefined();
    },
  );

  test("has at least one example, and can be shown as JSON Schema", () => {
    expect(step.examples.length).toBeGreaterThan(0);
    expect(z.toJSONSchema(step.input, { io: "input" })).toMatchObject({ type: "object", additionalProperties: false });
    expect(z.toJSONSchema(step.output)).toMatchObject({ type: "object" });
  });
});

describe("create a deployment", () => {
  test("a branch of a project named by name: a preview, with our mark, queued", async () => {
    const { output, requests } = await make({ project: "web", branch: "feature/checkout", metadata: { by: "test" } });
    expect(Object.keys(output).sort()).toEqual(["created_at", "deployment_id", "environment", "state", "url"]);
    expect(output).toMatchObject({
      state: "QUEUED",
      environment: "preview",
      url: expect.stringMatching(/^https:\/\/web-/),
    });
    expect(Date.parse(output.created_at)).toBeGreaterThan(0);
    const body = bodyOfLast(requests);
    expect(body).toMatchObject({ project: ids.project_id, meta: { by: "test", signalboxIntent: "int_test" } });
    expect(body).toMatchObject({ gitSource: { type: "github", ref: "feature/checkout" } });
    expect(body).not.toHaveProperty("target");
    expect(requests.every(({ query }) => query?.teamId === ids.team_id)).toBe(true);
  });

  test("production says so; without a branch it is the production branch", async () => {
    const { output, requests } = await make({
      project: ids.project_id,
      environment: "production",
      commit_sha: "9f2c0a1b".repeat(5),
    });
    expect(output.environment).toBe("production");
    expect(bodyOfLast(requests)).toMatchObject({
      target: "production",
      gitSource: { ref: "main", sha: "9f2c0a1b".repeat(5) },
    });
  });

  test("waiting ends when it is READY and served, with pauses of 2 to 5 seconds", async () => {
    const { output, pauses, requests } = await make({ project: "web", branch: "main", wait_until_ready: true });
    expect(output.state).toBe("READY");
    expect(pauses.length).toBeGreaterThan(2);
    expect(pauses.every(({ pauseSeconds }) => pauseSeconds >= 2 && pauseSeconds <= 5)).toBe(true);
    const [answer] = await Promise.all([
      sendPlain(deployment.complete(ask("GET", `/v13/deployments/${output.deployment_id}`), at.identity), at),
    ]);
    expect(answer.body).toMatchObject({ aliasAssigned: true });
    expect(requests.length).toBe(pauses.length + 2);
  });

  test("a build that fails comes back with the last lines of its log", async () => {
    const failure = await failureOf(make({ project: "web", branch: "fail/this", wait_until_ready: true }));
    expect(failure).toMatchObject({ code: "invalid_there", systemCode: "ERROR", done: "no" });
    expect(failure.detail).toContain("Type error: Property 'id' does not exist on type '{}'.");
    expect(failure.detail.trimEnd().endsWith('Error: Command "npm run build" exited with 1')).toBe(true);
  });

  test("one that is cancelled, or held back, while it is waited for is told so", async () => {
    const cancelAll = async () => {
      const { deployments } = await list({ state: ["QUEUED", "INITIALIZING", "BUILDING"] });
      for (const { deployment_id: id } of deployments) await cancel(id);
    };
    const failure = await failureOf(make({ project: "web", wait_until_ready: true }, { onPause: cancelAll }));
    expect(failure).toMatchObject({ code: "conflict_there", systemCode: "CANCELED" });
    const blocked = await failureOf(make({ project: "web", branch: "blocked", wait_until_ready: true }));
    expect(blocked).toMatchObject({ code: "conflict_there", systemCode: "BLOCKED" });
  });

  test("READY and never served is a warning", async () => {
    const { output, warnings } = await make({ project: "web", branch: "alias-error", wait_until_ready: true });
    expect([output.state, warnings]).toEqual(["READY", [expect.stringContaining("not served on its domains")]]);
  });

  test("waiting has an end, and says that the deployment goes on", async () => {
    const failure = await failureOf(make({ project: "web", wait_until_ready: true }, { onPause: async () => {} }));
    expect(failure).toMatchObject({
      code: "timed_out",
      done: "no",
      remedy: expect.stringContaining("goes on by itself"),
    });
  });

  test("an outage while it is waited for is waited out", async () => {
    const input = { project: "web", wait_until_ready: true };
    let looks = 0;
    const onPause: DriveAt["onPause"] = async (pause) => {
      const { deployments } = await list({ limit: 1 });
      const path = `/v13/deployments/${deployments[0]?.deployment_id}`;
      if (looks++ === 0)
        await sandbox.control("/faults", { match: { method: "GET", path }, times: 1, status: 503, body: {} });
      await at.onPause?.(pause);
    };
    expect((await make(input, { onPause })).output.state).toBe("READY");
  });

  test("an earlier one again, in its own environment unless told", async () => {
    const { output, requests } = await make({ project: "web", redeploy_of: ids.deployment_id });
    expect(bodyOfLast(requests)).toMatchObject({ deploymentId: ids.deployment_id, target: "production" });
    expect(output.environment).toBe("production");
    const preview = await make({ project: "web", redeploy_of: ids.deployment_id, environment: "preview" });
    expect(preview.output.environment).toBe("preview");
    expect(await failureOf(make({ project: "docs", redeploy_of: ids.deployment_id }))).toMatchObject({
      code: "invalid_there",
    });
    expect(await failureOf(make({ project: "web", redeploy_of: "dpl_nothing" }))).toMatchObject({
      code: "not_found_there",
    });
  });

  test("files go where there is no repository; a branch does not, and the reason is clear", async () => {
    const files = [
      { file: "index.html", data: "<p>é</p>" },
      { file: "a/b.bin", data: "AAEC", encoding: "base64" },
    ];
    const { output, requests } = await make({
      project: ids.unlinked_project_id,
      files,
      settings: { build_command: null, framework: null },
    });
    expect(output.state).toBe("QUEUED");
    expect(bodyOfLast(requests)).toMatchObject({
      files: [{ encoding: "utf-8" }, { encoding: "base64" }],
      projectSettings: { buildCommand: null, framework: null },
    });
    const failure = await failureOf(make({ project: ids.unlinked_project_id, branch: "main" }));
    expect(failure).toMatchObject({ code: "invalid_there", detail: expect.stringMatching(/^No linked repository/) });
  });

  test("what the platform refuses keeps its own words", async () => {
    expect(await failureOf(make({ project: "nothing-of-that-name" }))).toMatchObject({ code: "not_found_there" });
    expect(await failureOf(make({ project: "sandbox-429" }))).toMatchObject({ code: "rate_limited", waitSeconds: 1 });
    expect(await failureOf(make({ project: "sandbox-409" }))).toMatchObject({ code: "conflict_there" });
    expect(await failureOf(make({ project: "web" }, { token: "wrong" }))).toMatchObject({ code: "needs_reconnect" });
  });

  test.each([
    [
      { type: "github", repoId: 5, org: "a", repo: "b" },
      { type: "github", repoId: 5, ref: "dev" },
    ],
    [
      { type: "github", org: "a", repo: "b" },
      { type: "github", org: "a", repo: "b", ref: "dev" },
    ],
    [
      { type: "github-limited", repoId: 5 },
      { type: "github", repoId: 5, ref: "dev" },
    ],
    [
      { type: "gitlab", projectId: "7" },
      { type: "gitlab", projectId: "7", ref: "dev" },
    ],
    [
      { type: "bitbucket", uuid: "u", workspaceUuid: "w" },
      { type: "bitbucket", repoUuid: "u", workspaceUuid: "w", ref: "dev" },
    ],
    [
      { type: "bitbucket", owner: "a", slug: "b" },
      { type: "bitbucket", owner: "a", slug: "b", ref: "dev" },
    ],
  ])("the source of a project linked as %j", (link, source) => {
    const project = { status: 200, headers: {}, body: { name: "web", link }, bytes: 0 };
    expect(gitSourceOf(project, "dev", undefined)).toEqual(source);
  });

  test.each(["gitlab", "bitbucket"])("a project linked to %s is deployed", async (type) => {
    const request = ask("POST", "/v10/projects", {
      body: { name: `at-${type}`, gitRepository: { type, repo: "acme/site" } },
    });
    expect((await sendPlain(deployment.complete(request, at.identity), at)).status).toBe(200);
    expect((await make({ project: `at-${type}`, branch: "main" })).output.state).toBe("QUEUED");
  });

  test("a lost answer is looked for by its mark: found, or not there", async () => {
    const input = createDeployment.input.parse({ project: "web", branch: "main" });
    const context = { intentId: "int_lost", now: new Date(), identity: at.identity, askedAt: new Date() };
    const look = async () => {
      const work = createDeployment.reconcile?.(input, context);
      if (!work) throw new Error("It cannot be looked for.");
      return (await driveWork(work, deployment, at)).result;
    };
    expect(await look()).toBe("did not");
    await sandbox.control("/faults", { match: { method: "POST", path: "/v13/deployments" }, times: 1, drop: "after" });
    await expect(make({ project: "web", branch: "main" }, { intentId: "int_lost" })).rejects.toThrow();
    expect(await look()).toMatchObject({
      output: { environment: "preview", deployment_id: expect.stringMatching(/^dpl_/) },
    });
  });

  test("a dry run shows the create, not the look at the project", () => {
    const context = { intentId: "int_dry", now: new Date(), identity: at.identity };
    const input = createDeployment.input.parse({ project: "web", environment: "production" });
    expect(createDeployment.preview?.(input, context)).toMatchObject({
      method: "POST",
      path: "/v13/deployments",
      body: { project: "web", target: "production", meta: { signalboxIntent: "int_dry" } },
    });
  });

  test.each([
    [{}, ["project"]],
    [{ project: " " }, ["project"]],
    [{ project: "web", environment: "development" }, ["environment"]],
    [{ project: "web", environment: "staging" }, ["environment"]],
    [{ project: "web", commit_sha: "not a hash" }, ["commit_sha"]],
    [{ project: "web", branch: "main", files: [{ file: "a", data: "" }] }, ["files"]],
    [{ project: "web", branch: "main", redeploy_of: "dpl_1" }, ["redeploy_of"]],
    [{ project: "web", files: [{ file: "../a", data: "" }] }, ["files.0.file"]],
    [{ project: "web", files: [{ file: "a", data: "%", encoding: "base64" }] }, ["files.0.data"]],
    [{ project: "web", settings: { rocket: true } }, ["settings.rocket"]],
    [{ project: "web", metadata: { signalboxIntent: "x" } }, ["metadata.signalboxIntent"]],
    [{ project: "web", metadata: { count: 1 } }, ["metadata.count"]],
    [{ project: "web", target: "production" }, [""]],
  ])("%j is refused before anything is sent", (input, fields) => {
    expect(refusedFields(createDeployment, input)).toEqual(fields);
  });

  test("development is refused with the reason", () => {
    const issue = createDeployment.input.safeParse({ project: "web", environment: "development" }).error?.issues[0];
    expect(issue?.message).toContain("no development deployments");
  });
});

describe("list deployments", () => {
  test("all pages up to the limit, each once, newest first", async () => {
    const { deployments, requests } = await list({ limit: 250 });
    expect(deployments).toHaveLength(250);
    expect(new Set(deployments.map(({ deployment_id: id }) => id)).size).toBe(250);
    expect(requests).toHaveLength(3);
    const times = deployments.map(({ created_at: created }) => created);
    expect(times).toEqual(times.toSorted().reverse());
    expect(Object.keys(deployments[0] ?? {}).sort()).toEqual([
      "branch",
      "created_at",
      "creator",
      "deployment_id",
      "environment",
      "state",
      "url",
    ]);
  });

  test("without a limit it says when there are more", async () => {
    const { deployments, warnings } = await list();
    expect([deployments.length, warnings]).toEqual([100, [expect.stringContaining("There are more")]]);
    expect((await list({ limit: 7 })).warnings).toEqual([]);
  });

  test.each([
    ["project by name", { project: "web" }, (each: Made) => each.url.startsWith("https://web-")],
    ["production", { environment: "production" }, (each: Made) => each.environment === "production"],
    ["preview", { environment: "preview" }, (each: Made) => each.environment === "preview"],
    ["a state", { state: "error" }, (each: Made) => each.state === "ERROR"],
    ["several states", { state: ["ERROR", "CANCELED"] }, (each: Made) => ["ERROR", "CANCELED"].includes(each.state)],
    ["states with commas", { state: "ERROR,READY" }, (each: Made) => ["ERROR", "READY"].includes(each.state)],
    ["a branch", { branch: "fix/header" }, (each: Made) => "branch" in each && each.branch === "fix/header"],
  ])("only %s", async (_, filter, isRight) => {
    const { deployments } = await list({ ...filter, limit: 500 });
    expect(deployments.length).toBeGreaterThan(0);
    expect(deployments.every(isRight)).toBe(true);
  });

  test("times as RFC 3339, as a day and as milliseconds", async () => {
    const all = (await list({ project: "web" })).deployments;
    const [newest, , third] = all;
    if (!newest || !third) throw new Error("The seed has too few deployments.");
    const since = await list({ project: "web", since: third.created_at });
    expect(since.deployments).toEqual(all.slice(0, 2));
    const until = await list({ project: "web", until: Date.parse(newest.created_at) });
    expect(until.deployments).toEqual(all.slice(1));
    const day = third.created_at.slice(0, 10);
    expect((await list({ project: "web", since: day })).deployments.length).toBeGreaterThanOrEqual(2);
  });

  test.each([
    [{ state: "FINISHED" }, ["state"]],
    [{ since: "yesterday" }, ["since"]],
    [{ since: "2026-03-02", until: "2026-03-01" }, ["until"]],
    [{ limit: 0 }, ["limit"]],
    [{ environment: "development" }, ["environment"]],
  ])("%j is refused", (input, fields) => expect(refusedFields(listDeployments, input)).toEqual(fields));

  test("an item of the list and a single record read the same", () => {
    const common = { url: "web-1.vercel.app", createdAt: 0, target: null, meta: {}, creator: { uid: "u" } };
    const expected = {
      deployment_id: "dpl_1",
      url: "https://web-1.vercel.app",
      state: "READY",
      environment: "preview",
      branch: null,
      creator: "u",
      created_at: "1970-01-01T00:00:00.000Z",
    };
    expect(readDeployment({ ...common, uid: "dpl_1", state: "READY" })).toEqual(expected);
    expect(readDeployment({ ...common, id: "dpl_1", status: "READY", readyState: "READY" })).toEqual(expected);
  });
});

describe("cancel a deployment", () => {
  test("a queued one, and one that builds", async () => {
    const queued = await make({ project: "web", branch: "main" });
    expect((await cancel(queued.output.deployment_id)).output).toEqual({
      deployment_id: queued.output.deployment_id,
      state: "CANCELED",
    });
    const building = await make({ project: "web", branch: "main" });
    await sandbox.control("/clock", { advance_seconds: 4 });
    expect((await cancel(building.output.deployment_id)).output).toMatchObject({ state: "CANCELED" });
  });

  test("a finished one is told apart, with its real state", async () => {
    for (const [id, state] of [
      [ids.deployment_id, "READY"],
      [ids.failed_deployment_id, "ERROR"],
    ]) {
      const failure = await failureOf(cancel(id ?? ""));
      expect(failure).toMatchObject({
        code: "conflict_there",
        systemCode: state,
        detail: expect.stringContaining(`it is ${state}`),
      });
    }
  });

  test("one that waits for a person cannot be cancelled; one that was cancelled is so already", async () => {
    const blocked = await make({ project: "web", branch: "blocked" });
    expect(await failureOf(cancel(blocked.output.deployment_id))).toMatchObject({ systemCode: "BLOCKED" });
    const { output } = await make({ project: "web" });
    await cancel(output.deployment_id);
    expect((await cancel(output.deployment_id)).warnings).toEqual(["It was cancelled before."]);
  });

  test("a cancel that was taken and came too late is not believed", async () => {
    await sandbox.control("/limits", { cancel_race_seconds: 10 });
    const { output } = await make({ project: "web" });
    await sandbox.control("/clock", { advance_seconds: 4 });
    expect(await failureOf(cancel(output.deployment_id))).toMatchObject({
      code: "conflict_there",
      systemCode: "READY",
    });
  });

  test("an outage after the cancel was taken does not undo it", async () => {
    const { output } = await make({ project: "web" });
    const path = `/v13/deployments/${output.deployment_id}`;
    await sandbox.control("/faults", { match: { method: "GET", path }, times: 1, status: 503, body: {} });
    expect(await cancel(output.deployment_id)).toMatchObject({
      output: { state: "CANCELED" },
      warnings: [expect.any(String)],
    });
  });

  test("an unknown one is not found, and bad input is refused", async () => {
    expect(await failureOf(cancel("dpl_nothing"))).toMatchObject({ code: "not_found_there" });
    expect(refusedFields(cancelDeployment, {})).toEqual(["deployment_id"]);
  });
});

describe("drop-downs", () => {
  test("projects are searched at the platform, and go on page by page", async () => {
    const { options } = await offer(createDeployment.options?.project, "camp");
    expect(options.map(({ label }) => label)).toContain("campaign-9");
    expect(options.every(({ label }) => label.includes("camp"))).toBe(true);
    const all = await offer(createDeployment.options?.project);
    expect([all.options.length, all.next]).toEqual([25, null]);
    expect(all.options.find(({ label }) => label === "landing")?.hint).toBe("no linked repository");
  });

  test("branches of the chosen project, the production branch first", async () => {
    const { options } = await offer(createDeployment.options?.branch, "", { project: "web" });
    expect(options[0]?.value).toBe("main");
    expect(new Set(options.map(({ value }) => value)).size).toBe(options.length);
    expect((await offer(createDeployment.options?.branch)).options).toEqual([]);
  });

  test("only queued and ongoing deployments can be chosen to be cancelled", async () => {
    expect((await offer(cancelDeployment.options?.deployment_id)).options).toEqual([]);
    const { output } = await make({ project: "web", branch: "fix/header" });
    expect((await offer(cancelDeployment.options?.deployment_id, "header")).options).toMatchObject([
      { value: output.deployment_id },
    ]);
    expect((await offer(cancelDeployment.options?.deployment_id, "other")).options).toEqual([]);
  });

  test("earlier deployments to redeploy go on page by page", async () => {
    const first = await offer(createDeployment.options?.redeploy_of);
    const second = await offer(createDeployment.options?.redeploy_of, "", {}, first.next);
    expect([first.options.length, second.options.length]).toEqual([50, 50]);
    expect(second.options[0]?.value).not.toBe(first.options[0]?.value);
  });
});

describe("a build's log", () => {
  const flat = [
    { type: "stderr", serial: "2", text: "second" },
    { type: "stdout", serial: "1", text: "first" },
    { type: "exit", serial: "3", text: "1" },
  ];
  const answer = (body: unknown) => ({ status: 200, headers: {}, body, bytes: 0 });
  test.each([
    ["an array", flat],
    ["items with a payload", flat.map(({ type, ...payload }) => ({ type, payload }))],
    ["a line of JSON each", flat.map((event) => JSON.stringify(event)).join("\n")],
  ])("is read in order from %s", (_, body) => expect(lastLines(answer(body))).toEqual(["first", "second"]));

  test("is cut to its last lines", () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      type: "stdout",
      serial: String(index).padStart(6, "0"),
      text: `line ${index}`,
    }));
    expect(lastLines(answer(many))).toHaveLength(20);
    expect(lastLines(answer(many)).at(-1)).toBe("line 199");
    expect(lastLines(answer({}))).toEqual([]);
  });
});
