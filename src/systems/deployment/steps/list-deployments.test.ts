import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type Made, refusedFields, startDeploymentSteps } from "../../../../test/support/systems/deployment-steps.ts";
import { driveStep } from "../../../../test/support/systems/drive-step.ts";
import { failed } from "../../fail-step.ts";
import { StepFailed } from "../../work.ts";
import { readDeployment } from "../protocol/platform-records.ts";
import { listDeployments } from "./list-deployments.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
beforeEach(() => steps.control("/reset", {}));
afterAll(() => steps.stop());

describe("list deployments", () => {
  test.each(listDeployments.examples.map(({ title, input }) => [title, input] as const))(
    "the example works: %s",
    async (_, input) => {
      await expect(driveStep(listDeployments, input, steps.at)).resolves.toBeDefined();
    },
  );

  test("has an example, and can be shown as JSON Schema", () => {
    expect(listDeployments.examples.length).toBeGreaterThan(0);
    expect(z.toJSONSchema(listDeployments.input, { io: "input" })).toMatchObject({
      type: "object",
      additionalProperties: false,
    });
    expect(z.toJSONSchema(listDeployments.output)).toMatchObject({ type: "object" });
  });

  test("all pages up to the limit, each once, newest first", async () => {
    const { deployments, requests } = await steps.list({ limit: 250 });
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
    const { deployments, warnings } = await steps.list();
    expect([deployments.length, warnings]).toEqual([100, [expect.stringContaining("There are more")]]);
    expect((await steps.list({ limit: 7 })).warnings).toEqual([]);
  });

  // "A project name that matches nothing is an answer with a warning and the nearest names, not silence."
  test("a project that does not exist is a warning with the nearest names; an empty one is not", async () => {
    const mistyped = await steps.list({ project: "wbe" });
    expect([mistyped.deployments, mistyped.warnings]).toEqual([[], [expect.stringMatching(/no project "wbe".*: web/)]]);
    const empty = await steps.list({ project: "web", branch: "nobody-pushed-this" });
    expect([empty.deployments, empty.warnings]).toEqual([[], []]);
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
    const { deployments } = await steps.list({ ...filter, limit: 500 });
    expect(deployments.length).toBeGreaterThan(0);
    expect(deployments.every(isRight)).toBe(true);
  });

  test("a commit by its hash, whole or shortened", async () => {
    const sha = "9f2c0a1b".repeat(5);
    const { output } = await steps.make({ project: "web", commit_sha: sha });
    for (const commit_sha of [sha, sha.slice(0, 8), sha.toUpperCase()]) {
      const { deployments } = await steps.list({ project: "web", commit_sha });
      expect(deployments.map((each) => each.deployment_id)).toEqual([output.deployment_id]);
    }
  });

  test("people who created them, by id", async () => {
    const mine = await steps.list({ project: "web", creator: steps.ids.user_id });
    expect(new Set(mine.deployments.map(({ creator }) => creator))).toEqual(new Set(["ann-archer"]));
  });

  test("times as RFC 3339, as a day and as milliseconds", async () => {
    const all = (await steps.list({ project: "web" })).deployments;
    const [newest, , third] = all;
    if (!newest || !third) throw new Error("The seed has too few deployments.");
    const since = await steps.list({ project: "web", since: third.created_at });
    expect(since.deployments).toEqual(all.slice(0, 2));
    const until = await steps.list({ project: "web", until: Date.parse(newest.created_at) });
    expect(until.deployments).toEqual(all.slice(1));
    const day = third.created_at.slice(0, 10);
    expect((await steps.list({ project: "web", since: day })).deployments.length).toBeGreaterThanOrEqual(2);
  });

  test("a reading that an outage ended early says so, and not that the limit was too low", () => {
    const work = listDeployments.work({ limit: 500 }, { intentId: "", now: new Date(), identity: { label: "" } });
    work.next();
    const deployments = [{ uid: "dpl_1", createdAt: 2, readyState: "READY" }];
    const body = { deployments, pagination: { count: 1, next: 1, prev: 2 } };
    work.next({ status: 200, headers: {}, body, bytes: 1 });
    const outage = new StepFailed(failed("system_unavailable", "try again", "It returned 503."), null);
    const { value } = work.throw(outage);
    expect(value).toMatchObject({
      output: { deployments: [{ deployment_id: "dpl_1" }] },
      warnings: [expect.stringContaining("It returned 503.")],
    });
    expect(JSON.stringify(value)).not.toMatch(/raise|`after`/);
  });

  test.each([
    [{ state: "FINISHED" }, ["state"]],
    [{ since: "yesterday" }, ["since"]],
    [{ since: "2026-03-02", until: "2026-03-01" }, ["until"]],
    [{ limit: 0 }, ["limit"]],
    [{ environment: "staging" }, ["environment"]],
  ])("%j is refused", (input, fields) => expect(refusedFields(listDeployments, input)).toEqual(fields));

  // "environment | enum | production, preview, development"
  test("there are no deployments for development, and asking for them is no mistake", async () => {
    expect((await steps.list({ project: "web", environment: "development" })).deployments).toEqual([]);
  });

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
