import { Signalbox, SignalboxProblem } from "signalbox/client";
import { expect, expectTypeOf, test } from "vitest";
import { operations } from "../../src/api/index.ts";
import { pathOf } from "../../src/client/operation-path.ts";
import { startApp } from "../support/app.ts";
import { startPlatform } from "../support/platform.ts";

const listening = (app: { listen(at: { host: string; port: number }): Promise<string> }) =>
  app.listen({ host: "127.0.0.1", port: 0 });

test('"Groups and methods follow the operations\' paths": every operation is a method of the client', () => {
  for (const { path } of operations) {
    const words = path
      .replace("/latest/", "")
      .replace(/^auth\//, "")
      .split("/");
    const ids = words.filter((word) => word.startsWith("{"));
    const names = words.filter((word) => !word.startsWith("{"));
    const named = [names[0] === "invite" ? "invites" : (names[0] ?? ""), ...names.slice(1)];
    const camel = named.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
    expect(pathOf(camel, ids.length), path).toBe(path.replace(/\{\w+\}/g, "{}"));
  }
});

test("the contract's sample runs: create, iterate, run a step with its types, and a refusal as a typed error", async () => {
  const { app, owner, projectId, connections } = await startPlatform("sqlite");
  const baseUrl = await listening(app.app);
  const signalbox = new Signalbox({ baseUrl, apiKey: owner.apiKey, projectId });
  const { user } = await signalbox.info();
  expect(user.user_id).toBe(owner.userId);
  const organization_id = owner.organizationId;
  for (const name of ["one", "two", "three"]) {
    const { project_id } = await signalbox.projects.create({ name, description: "of a test", organization_id });
    expect(project_id).toMatch(/^prj_/);
  }
  const names: string[] = [];
  for await (const project of signalbox.projects.list({ limit: 2 })) names.push(project.name);
  expect(names).toHaveLength(4);
  const page = await signalbox.projects.list({ limit: 2 });
  expect([page.results.length, typeof page.next]).toEqual([2, "string"]);

  const run = await signalbox.steps.run("list_deployments", {
    connection_id: connections.deployment,
    input: { limit: 2 },
  });
  if (run.status !== "succeeded") throw new Error(run.status);
  expectTypeOf(run.output.deployments).toBeArray();
  expect(run.output.deployments).toHaveLength(2);
  const followed: string[] = [];
  for await (const state of signalbox.runs.follow(run.run_id)) followed.push(state.status);
  expect(followed).toEqual(["succeeded"]);

  const refused = await signalbox.users.update("usr_us_nobody", { permissions: {} as never }).catch((error) => error);
  expect(refused).toBeInstanceOf(SignalboxProblem);
  expect(refused).toMatchObject({
    code: expect.any(String),
    status: expect.any(Number),
    requestId: expect.any(String),
  });
  expect(refused.remedy).not.toBe("");
});

test("a run is followed live until it ends, and a call made twice with one key is made once", async () => {
  const { app, owner, projectId, connections } = await startPlatform("sqlite");
  const signalbox = new Signalbox({ baseUrl: await listening(app.app), apiKey: owner.apiKey, projectId });
  const { tool_id } = await signalbox.tools.create({
    title: "Two steps",
    params_schema: { type: "object" },
    steps: [
      { name: "ask", step: "approve", input: { message: "Go on?" } },
      { name: "latest", step: "list_deployments", connection_id: connections.deployment, input: { limit: 1 } },
    ],
  });
  const begin = () => signalbox.tools.triggerAsync(tool_id, {}, { idempotencyKey: "once" });
  const [first, second] = [await begin(), await begin()];
  expect(second).toEqual(first);
  for await (const state of signalbox.runs.follow(first.run_id)) {
    if (state.status === "waiting") await signalbox.runs.approve(state.run_id, { approved: true });
  }
  const ended: string[] = [];
  for await (const state of signalbox.runs.follow(first.run_id)) ended.push(state.status);
  expect(ended.at(-1)).toBe("succeeded");
});

test('"regions and the 421 answer followed"', async () => {
  const eu = await startApp("sqlite", { region: "eu" });
  const at = await listening(eu.app);
  const us = await startApp("sqlite", { region: "us", otherUrls: { eu: at } });
  const owner = await eu.person("owner@example.com");
  const signalbox = new Signalbox({ baseUrl: await listening(us.app), apiKey: owner.apiKey });
  expect((await signalbox.info()).user.email).toBe("owner@example.com");
});
