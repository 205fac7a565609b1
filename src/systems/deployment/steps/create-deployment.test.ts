import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { failureOf, startDeploymentSteps } from "../../../../test/support/systems/deployment-steps.ts";
import { type DriveAt, driveStep, driveWork, sendPlain } from "../../../../test/support/systems/drive-step.ts";
import { sentThen } from "../../../../test/support/systems/sent-then.ts";
import { failed } from "../../fail-step.ts";
import { StepFailed } from "../../work.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { deployment } from "../system.ts";
import { createDeployment } from "./create-deployment.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
beforeEach(() => steps.control("/reset", {}));
afterAll(() => steps.stop());

describe("create a deployment", () => {
  test.each(createDeployment.examples.map(({ title, input }) => [title, input] as const))(
    "the example works: %s",
    async (_, input) => {
      await expect(driveStep(createDeployment, input, steps.at)).resolves.toBeDefined();
    },
  );

  test("has an example, and can be shown as JSON Schema", () => {
    expect(createDeployment.examples.length).toBeGreaterThan(0);
    expect(z.toJSONSchema(createDeployment.input, { io: "input" })).toMatchObject({
      type: "object",
      additionalProperties: false,
    });
    expect(z.toJSONSchema(createDeployment.output)).toMatchObject({ type: "object" });
  });

  test("a branch of a project named by name: a preview, with our mark, queued", async () => {
    const { output, requests } = await steps.make({
      project: "web",
      branch: "feature/checkout",
      metadata: { by: "test" },
    });
    expect(Object.keys(output).sort()).toEqual(["created_at", "deployment_id", "environment", "state", "url"]);
    expect(output).toMatchObject({
      state: "QUEUED",
      environment: "preview",
      url: expect.stringMatching(/^https:\/\/web-/),
    });
    expect(Date.parse(output.created_at)).toBeGreaterThan(0);
    const body = requests.at(-1)?.body;
    expect(body).toMatchObject({ project: steps.ids.project_id, meta: { by: "test", signalboxIntent: "int_test" } });
    expect(body).toMatchObject({ gitSource: { type: "github", ref: "feature/checkout" } });
    expect(body).not.toHaveProperty("target");
    expect(requests.every(({ query }) => query?.teamId === steps.ids.team_id)).toBe(true);
  });

  test("production says so; without a branch it is the production branch", async () => {
    const { output, requests } = await steps.make({
      project: steps.ids.project_id,
      environment: "production",
      commit_sha: "9f2c0a1b".repeat(5),
    });
    expect(output.environment).toBe("production");
    expect(requests.at(-1)?.body).toMatchObject({
      target: "production",
      gitSource: { ref: "main", sha: "9f2c0a1b".repeat(5) },
    });
  });

  test("waiting ends when it is READY and served, with pauses of 2 to 5 seconds", async () => {
    const { output, pauses, requests } = await steps.make({ project: "web", branch: "main", wait_until_ready: true });
    expect(output.state).toBe("READY");
    expect(pauses.length).toBeGreaterThan(2);
    expect(pauses.every(({ pauseSeconds }) => pauseSeconds >= 2 && pauseSeconds <= 5)).toBe(true);
    const read = apiRequest("GET", `/v13/deployments/${output.deployment_id}`);
    const answer = await sendPlain(deployment.complete(read, steps.at.identity), steps.at);
    expect(answer.body).toMatchObject({ aliasAssigned: true });
    expect(requests.length).toBe(pauses.length + 2);
  });

  test("a build that fails returns the last lines of its log", async () => {
    const failure = await failureOf(steps.make({ project: "web", branch: "fail/this", wait_until_ready: true }));
    expect(failure).toMatchObject({ code: "invalid_there", systemCode: "ERROR", done: "no" });
    expect(failure.detail).toContain("Type error: Property 'id' does not exist on type '{}'.");
    expect(failure.detail.trimEnd().endsWith('Error: Command "npm run build" exited with 1')).toBe(true);
  });

  // "A failed build with `wait_until_ready` keeps `deployment_id`, `url` and the log's end as fields."
  test("a build that fails keeps its deployment as fields", async () => {
    const error = await steps
      .make({ project: "web", branch: "fail/this", wait_until_ready: true })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StepFailed);
    expect(error.output).toMatchObject({
      deployment_id: expect.stringMatching(/^dpl_/),
      url: expect.stringMatching(/^https:\/\/web-/),
      state: "ERROR",
      log: expect.arrayContaining(['Error: Command "npm run build" exited with 1']),
    });
  });

  test("a project that does not exist is refused with the nearest names", async () => {
    const failure = await failureOf(steps.make({ project: "wbe" }));
    expect(failure).toMatchObject({ code: "not_found_there", remedy: expect.stringContaining("web") });
  });

  test("a deployment that is cancelled or blocked during the wait is reported as such", async () => {
    const cancelAll = async () => {
      const { deployments } = await steps.list({ state: ["QUEUED", "INITIALIZING", "BUILDING"] });
      for (const { deployment_id: id } of deployments) await steps.cancel(id);
    };
    const failure = await failureOf(steps.make({ project: "web", wait_until_ready: true }, { onPause: cancelAll }));
    expect(failure).toMatchObject({ code: "conflict_there", systemCode: "CANCELED" });
    const blocked = await failureOf(steps.make({ project: "web", branch: "blocked", wait_until_ready: true }));
    expect(blocked).toMatchObject({ code: "conflict_there", systemCode: "BLOCKED" });
  });

  test("READY and never served is a warning", async () => {
    const { output, warnings } = await steps.make({ project: "web", branch: "alias-error", wait_until_ready: true });
    expect([output.state, warnings]).toEqual(["READY", [expect.stringContaining("not served on its domains")]]);
  });

  test("the wait ends, and says that the deployment continues", async () => {
    const failure = await failureOf(
      steps.make({ project: "web", wait_until_ready: true }, { onPause: async () => {} }),
    );
    expect(failure).toMatchObject({
      code: "timed_out",
      done: "no",
      remedy: expect.stringContaining("continues at the platform"),
    });
  });

  test("a call without time left for waiting says so, with the deployment's id, and does not ask for another one", async () => {
    const onPause = async () => {
      throw new StepFailed(failed("timed_out", "give up", "No time left."), null);
    };
    const failure = await failureOf(steps.make({ project: "web", wait_until_ready: true }, { onPause }));
    expect(failure).toMatchObject({ code: "timed_out", detail: expect.stringMatching(/dpl_\w+ was created/) });
    expect(failure.remedy).toContain("would make a second one");
    // "retry says whether the same call may simply be made again": a second call would be a second deployment.
    expect(failure.retry).toBe("after_look");
  });

  test("a created deployment that may not be read is reported as created", async () => {
    const onPause: DriveAt["onPause"] = async () => {
      const { deployments } = await steps.list({ limit: 1 });
      const path = `/v13/deployments/${deployments[0]?.deployment_id}`;
      const body = { error: { code: "forbidden", message: "Not allowed." } };
      await steps.control("/faults", { match: { method: "GET", path }, times: 1, status: 403, body });
    };
    const failure = await failureOf(steps.make({ project: "web", wait_until_ready: true }, { onPause }));
    expect(failure).toMatchObject({
      code: "permission_denied",
      detail: expect.stringMatching(/dpl_\w+ was created.*Not allowed/),
      retry: "after_look",
    });
  });

  test("an outage while it is waited for is waited out", async () => {
    const input = { project: "web", wait_until_ready: true };
    let looks = 0;
    const onPause: DriveAt["onPause"] = async (pause) => {
      const { deployments } = await steps.list({ limit: 1 });
      const path = `/v13/deployments/${deployments[0]?.deployment_id}`;
      if (looks++ === 0)
        await steps.control("/faults", { match: { method: "GET", path }, times: 1, status: 503, body: {} });
      await steps.at.onPause?.(pause);
    };
    expect((await steps.make(input, { onPause })).output.state).toBe("READY");
  });

  test("an earlier deployment again, in its own environment by default", async () => {
    const { output, requests } = await steps.make({ project: "web", redeploy_of: steps.ids.deployment_id });
    expect(requests.at(-1)?.body).toMatchObject({ deploymentId: steps.ids.deployment_id, target: "production" });
    expect(output.environment).toBe("production");
    const preview = await steps.make({ project: "web", redeploy_of: steps.ids.deployment_id, environment: "preview" });
    expect(preview.output.environment).toBe("preview");
    expect(await failureOf(steps.make({ project: "docs", redeploy_of: steps.ids.deployment_id }))).toMatchObject({
      code: "invalid_there",
    });
    expect(await failureOf(steps.make({ project: "web", redeploy_of: "dpl_nothing" }))).toMatchObject({
      code: "not_found_there",
    });
  });

  test("files work without a repository; a branch does not, and the reason is clear", async () => {
    const files = [
      { file: "index.html", data: "<p>é</p>" },
      { file: "a/b.bin", data: "AAEC", encoding: "base64" },
    ];
    const { output, requests } = await steps.make({
      project: steps.ids.unlinked_project_id,
      files,
      settings: { build_command: null, framework: null },
    });
    expect(output.state).toBe("QUEUED");
    expect(requests.at(-1)?.body).toMatchObject({
      files: [{ encoding: "utf-8" }, { encoding: "base64" }],
      projectSettings: { buildCommand: null, framework: null },
    });
    const unlinked = steps.make({ project: steps.ids.unlinked_project_id, branch: "main" });
    const failure = await failureOf(unlinked);
    expect(failure).toMatchObject({ code: "invalid_there", detail: expect.stringMatching(/^No linked repository/) });
    // What was read about the project is no answer to the create.
    await expect(unlinked).rejects.toMatchObject({ answer: null });
  });

  test("what the platform refuses keeps its own words", async () => {
    expect(await failureOf(steps.make({ project: "nothing-of-that-name" }))).toMatchObject({ code: "not_found_there" });
    expect(await failureOf(steps.make({ project: "sandbox-429" }))).toMatchObject({
      code: "rate_limited",
      waitSeconds: 1,
    });
    expect(await failureOf(steps.make({ project: "sandbox-409" }))).toMatchObject({ code: "conflict_there" });
    expect(await failureOf(steps.make({ project: "web" }, { token: "wrong" }))).toMatchObject({
      code: "needs_reconnect",
    });
  });

  test.each(["gitlab", "bitbucket"])("a project linked to %s is deployed", async (type) => {
    const request = apiRequest("POST", "/v10/projects", {
      body: { name: `at-${type}`, gitRepository: { type, repo: "acme/site" } },
    });
    expect((await sendPlain(deployment.complete(request, steps.at.identity), steps.at)).status).toBe(200);
    expect((await steps.make({ project: `at-${type}`, branch: "main" })).output.state).toBe("QUEUED");
  });

  test("a lost answer is reconciled by its marker: found, or not there", async () => {
    const input = createDeployment.input.parse({ project: "web", branch: "main" });
    const context = { intentId: "int_lost", now: new Date(), identity: steps.at.identity, ...sentThen() };
    const look = async () => {
      const work = createDeployment.reconcile?.(input, context);
      if (!work) throw new Error("It cannot be looked for.");
      return (await driveWork(work, deployment, steps.at)).result;
    };
    expect(await look()).toBe("did not");
    await steps.control("/faults", { match: { method: "POST", path: "/v13/deployments" }, times: 1, drop: "after" });
    await expect(steps.make({ project: "web", branch: "main" }, { intentId: "int_lost" })).rejects.toThrow();
    expect(await look()).toMatchObject({
      output: { environment: "preview", deployment_id: expect.stringMatching(/^dpl_/) },
    });
  });

  test("a dry run shows the create, not the read of the project", () => {
    const context = { intentId: "int_dry", now: new Date(), identity: steps.at.identity };
    const input = createDeployment.input.parse({ project: "web", environment: "production" });
    expect(createDeployment.preview?.(input, context)).toMatchObject({
      method: "POST",
      path: "/v13/deployments",
      body: { project: "web", target: "production", meta: { signalboxIntent: "int_dry" } },
    });
    // A redeployment keeps the environment of the earlier one, which is not known yet.
    const again = createDeployment.input.parse({ project: "web", redeploy_of: "dpl_1" });
    expect(createDeployment.preview?.(again, context).body).toMatchObject({ target: "(as in the earlier deployment)" });
  });
});
