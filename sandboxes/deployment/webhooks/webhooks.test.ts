import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startReceiver } from "../testing/receiver.ts";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(async () => {
  await sandbox.reset();
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());
afterAll(() => sandbox.stop());

const send = (method: string, path: string, body?: unknown) => sandbox.call(path, { method, body });
const register = async (events: string[], more: object = {}) =>
  (await send("POST", "/v1/webhooks", { url: receiver.url, events, ...more })).body;
const files = [{ file: "a", data: "b" }];
const deploy = async (name = "web") =>
  (await send("POST", "/v13/deployments", { name, target: "production", projectSettings: {}, files })).body;

describe("webhooks are sent", () => {
  test("signed over the raw body, for a deployment that starts and succeeds", async () => {
    const events = ["deployment.created", "deployment.succeeded", "deployment.ready", "deployment.promoted"];
    const { secret } = await register(events);
    const deployment = await deploy();
    await receiver.count(1);
    await sandbox.advance(60);
    const received = await receiver.count(3);
    // Ready is told only to those who registered checks.
    expect(receiver.types().sort()).toEqual(["deployment.created", "deployment.promoted", "deployment.succeeded"]);
    for (const { raw, signature } of received) {
      expect(signature).toBe(createHmac("sha1", secret).update(raw).digest("hex"));
    }
    expect(received[0]?.event).toMatchObject({
      id: expect.any(String),
      type: "deployment.created",
      createdAt: expect.any(Number),
      region: "iad1",
      payload: {
        user: { id: sandbox.ids.user_id },
        team: { id: sandbox.credentials.team_id },
        project: { id: sandbox.ids.project_id },
        deployment: { id: deployment.id, name: "web", url: deployment.url, inspectorUrl: deployment.inspectorUrl },
        links: { project: "https://vercel.com/acme/web" },
        alias: [],
        target: "production",
        plan: "pro",
        regions: ["iad1"],
      },
    });
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(3);
  });

  test("for one that fails, without the error's text, and for one that is cancelled", async () => {
    await register(["deployment.error", "deployment.canceled"]);
    await deploy("always-fails");
    await sandbox.advance(60);
    const [failed] = await receiver.count(1);
    expect(failed?.event.type).toBe("deployment.error");
    expect(JSON.stringify(failed?.event)).not.toContain("exited");
    const { id } = await deploy();
    await send("PATCH", `/v12/deployments/${id}/cancel`);
    await receiver.count(2);
    expect(receiver.types()).toEqual(["deployment.error", "deployment.canceled"]);
  });

  test("for the chosen projects only, and under the old name to who asked for it", async () => {
    await register(["deployment"], { projectIds: [sandbox.ids.project_id] });
    await deploy("landing");
    const { id } = await deploy();
    const [first] = await receiver.count(1);
    expect(first?.event).toMatchObject({ type: "deployment", payload: { deployment: { id } } });
  });

  test("for projects, variables and domains", async () => {
    await register(["project.created", "project.removed", "project.env-variable.created", "project.domain.created"]);
    await send("POST", "/v10/projects", { name: "told" });
    await send("POST", "/v10/projects/told/env", { key: "A", value: "b", type: "plain", target: ["preview"] });
    await send("POST", "/v10/projects/told/domains", { name: "told.acme.example" });
    await send("DELETE", "/v9/projects/told");
    await receiver.count(4);
    expect(receiver.types().sort()).toEqual([
      "project.created",
      "project.domain.created",
      "project.env-variable.created",
      "project.removed",
    ]);
  });

  test("again with growing pauses until a 2xx comes, the same event each time", async () => {
    await register(["deployment.created"]);
    receiver.state.status = 500;
    await deploy();
    for (const [attempts, pause] of [
      [1, 60],
      [2, 120],
      [3, 240],
    ] as const) {
      await receiver.count(attempts);
      await settle();
      await sandbox.advance(pause - 5);
      expect(receiver.received).toHaveLength(attempts);
      if (attempts === 3) receiver.state.status = 200;
      await sandbox.advance(5);
    }
    const received = await receiver.count(4);
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
    await settle();
    await sandbox.advance(86_400);
    expect(receiver.received).toHaveLength(4);
  });

  test("for a day at most, then dropped", async () => {
    await register(["deployment.created"]);
    receiver.state.status = 500;
    await deploy();
    await receiver.count(1);
    await sandbox.advance(3 * 86_400);
    // 1, 2, 4 ... minutes: ten pauses fit into a day.
    await receiver.count(11);
    await settle();
    expect(receiver.received).toHaveLength(11);
  });
});

/** Lets an answer that is on its way arrive: one more call through the same event loop, twice. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await sandbox.call("/v2/user");
}

describe("a webhook is registered", () => {
  test("with its secret shown once, and removed again", async () => {
    const made = await register(["deployment.created"], { projectIds: ["web"] });
    const [listed] = (await sandbox.call("/v1/webhooks")).body;
    expect(listed).toMatchObject({ id: made.id, projectsMetadata: [{ id: sandbox.ids.project_id, name: "web" }] });
    expect(listed).not.toHaveProperty("secret");
    expect((await send("DELETE", `/v1/webhooks/${made.id}`)).status).toBe(204);
    expect((await sandbox.call(`/v1/webhooks/${made.id}`)).status).toBe(404);
  });

  test("twenty times at most, and not for a personal account", async () => {
    await sandbox.limit({ webhooks_per_team: 1 });
    await register(["deployment.created"]);
    const body = { url: receiver.url, events: ["deployment.created"] };
    expect((await send("POST", "/v1/webhooks", body)).status).toBe(400);
    expect((await sandbox.call("/v1/webhooks", { method: "POST", body, isUnscoped: true })).status).toBe(403);
  });

  // The vendor's own list of names: what can be subscribed to there can be here, though nothing here may cause it.
  test("for events that nothing here causes", async () => {
    const events = ["domain.renewal.failed", "project.rolling-release.started", "deployment.checkrun.start"];
    events.push("budget.reached", "edge-config.items.updated", "marketplace.invoice.paid", "deployment-prepared");
    expect((await register(events)).events).toEqual(events);
  });

  test.each([
    ["no address", { events: ["deployment.created"] }],
    ["an address that is none", { url: "ftp://x", events: ["deployment.created"] }],
    ["no event", { url: "http://127.0.0.1:9", events: [] }],
    ["an unknown event", { url: "http://127.0.0.1:9", events: ["deployment.exploded"] }],
    ["an unknown key", { url: "http://127.0.0.1:9", events: ["deployment.created"], secret: "mine" }],
  ])("not with %s", async (_what, body) => {
    expect((await send("POST", "/v1/webhooks", body)).status).toBe(400);
  });
});
