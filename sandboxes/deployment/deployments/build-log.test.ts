import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

describe("the build log", () => {
  test("is an array, in both directions, with both item forms", async () => {
    const { failed_deployment_id: id } = sandbox.ids;
    const forward = (await sandbox.call(`/v3/deployments/${id}/events`)).body;
    const backward = (await sandbox.call(`/v3/deployments/${id}/events?direction=backward&limit=2`)).body;
    expect(backward).toEqual(forward.slice(-2).reverse());
    expect(forward.filter(({ type }: { type: string }) => type === "stderr").at(-1).text).toContain("exited with 1");
    const older = (await sandbox.call(`/v2/deployments/${id}/events?limit=1`)).body;
    expect(older[0].payload).toMatchObject({ deploymentId: id, serial: forward[0].serial });
  });

  test("followed, stays open, brings lines as the clock passes, and ends with the build", async () => {
    const body = { name: "web", files: [{ file: "index.html", data: "<h1>Hello</h1>" }] };
    const { id } = (await sandbox.call("/v13/deployments", { method: "POST", body })).body;
    const query = `follow=1&teamId=${sandbox.credentials.team_id}`;
    const response = await fetch(`${sandbox.url}/v3/now/deployments/${id}/events?${query}`, {
      headers: { authorization: `Bearer ${sandbox.credentials.token}` },
    });
    expect(response.headers.get("content-type")).toContain("application/stream+json");
    expect(response.headers.get("x-ratelimit-limit")).toBe("500");
    await sandbox.advance(4);
    await sandbox.advance(30);
    const lines = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toEqual((await sandbox.call(`/v3/deployments/${id}/events`)).body);
    expect(lines.at(-1).info.readyState).toBe("READY");
  });
});

test("the runtime log streams requests by the clock", async () => {
  const { project_id: project, deployment_id: id } = sandbox.ids;
  const path = `/v1/projects/${project}/deployments/${id}/runtime-logs?teamId=${sandbox.credentials.team_id}`;
  const response = await fetch(`${sandbox.url}${path}`, {
    headers: { authorization: `Bearer ${sandbox.credentials.token}` },
  });
  await sandbox.advance(600);
  const lines = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(60);
  expect(lines[1].timestampInMs - lines[0].timestampInMs).toBe(5000);
});
