import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const describeSandbox = async () => (await fetch(`${sandbox.url}/_sandbox`)).json();

describe("the control API of the deployment sandbox", () => {
  test("lists credentials, ids and limits", async () => {
    expect(await describeSandbox()).toMatchObject({
      system: "deployment",
      credentials: { token: expect.any(String), team_id: expect.stringMatching(/^team_/), team_slug: "acme" },
      ids: { project_id: expect.stringMatching(/^prj_/) },
      limits: { building_seconds: 5 },
    });
  });

  test("a reset brings records and limits back, to the letter", async () => {
    const before = [await sandbox.call("/v6/deployments"), await sandbox.call("/v9/projects")].map(({ text }) => text);
    await sandbox.limit({ building_seconds: 1 });
    await sandbox.call("/v9/projects/web", { method: "DELETE" });
    await sandbox.call("/v10/projects", { method: "POST", body: { name: "new" } });
    await sandbox.advance(100);
    await sandbox.reset();
    const after = [await sandbox.call("/v6/deployments"), await sandbox.call("/v9/projects")].map(({ text }) => text);
    expect(after).toEqual(before);
    expect(((await describeSandbox()) as { limits: object }).limits).toMatchObject({ building_seconds: 5 });
  });

  test("a second sandbox holds the same records", async () => {
    const other = await startSandbox();
    expect([other.credentials.team_id, other.ids]).toEqual([sandbox.credentials.team_id, sandbox.ids]);
    await other.stop();
  });

  test("a fault that cuts the connection after the write leaves the write done", async () => {
    await sandbox.fault({ match: { method: "POST", path: "/v10/projects" }, times: 1, drop: "after" });
    await expect(sandbox.call("/v10/projects", { method: "POST", body: { name: "lost-answer" } })).rejects.toThrow();
    expect((await sandbox.call("/v9/projects/lost-answer")).status).toBe(200);
  });

  test("a fault answers with what it was given", async () => {
    await sandbox.fault({ match: { path: "/v2/user" }, times: 1, status: 503, body: { error: { code: "x" } } });
    expect((await sandbox.call("/v2/user")).status).toBe(503);
    expect((await sandbox.call("/v2/user")).status).toBe(200);
  });

  test("the log of requests says who called", async () => {
    await sandbox.reset();
    await sandbox.call("/v2/user");
    const { requests } = (await (await fetch(`${sandbox.url}/_sandbox/requests`)).json()) as { requests: object[] };
    expect(requests).toEqual([
      { at: expect.any(String), method: "GET", path: "/v2/user", status: 200, identity: "ann-archer" },
    ]);
  });

  test("an unknown or impossible limit is refused", async () => {
    for (const body of [{ moon: 1 }, { building_seconds: -1 }, { building_seconds: "long" }]) {
      const response = await fetch(`${sandbox.url}/_sandbox/limits`, { method: "POST", body: JSON.stringify(body) });
      expect(response.status).toBe(400);
    }
  });
});
