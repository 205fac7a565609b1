import { ToolListChangedNotificationSchema } from "mcp-sdk-1.32/types.js";
import { describe, expect, test } from "vitest";
import { type Platform, startPlatform } from "../../test/support/platform.ts";
import { mcpAddress, mcpHeaders, modernClient, olderClient, publish } from "../../test/support/runs/mcp-clients.ts";
import { streamsMax } from "../webhooks/live/live-stream.ts";

/** Counts the notifications that a client gets. */
const listeners = {
  async "2026-07-28"(who: Pick<Platform, "owner" | "projectId">, at: URL, heard: () => void) {
    const client = await modernClient(who, at);
    client.setNotificationHandler("notifications/tools/list_changed", heard);
    await client.listen({ toolsListChanged: true });
  },
  async "2025-11-25"(who: Pick<Platform, "owner" | "projectId">, at: URL, heard: () => void) {
    const client = await olderClient(who, at);
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    client.setNotificationHandler(ToolListChangedNotificationSchema, heard);
  },
};

describe.each(Object.entries(listeners))("a client that listens, revision %s", (_, listen) => {
  test("is notified that a tool was published, and nobody of another project is", async () => {
    const platform = await startPlatform();
    const at = await mcpAddress(platform);
    const projectId = await platform.app.project(platform.owner, "Another");
    const heard = { here: 0, elsewhere: 0 };
    await listen(platform, at, () => void heard.here++);
    await listen({ ...platform, projectId }, at, () => void heard.elsewhere++);
    // The older client opens its stream in the background, so a first change may come too early.
    await expect
      .poll(async () => publish(platform, {}).then(() => heard.here), { timeout: 20_000, interval: 300 })
      .toBeGreaterThan(0);
    expect(heard.elsewhere).toBe(0);
    const steps = [{ name: "rest", step: "wait", input: { seconds: 1 } }];
    const inProject = { as: platform.owner, project: projectId };
    const { body } = await platform.app.call("tools/create", { title: "Own", steps }, inProject);
    await platform.app.call(`tools/${body.tool_id}/publish`, {}, inProject);
    await expect.poll(() => heard.elsewhere, { timeout: 20_000 }).toBeGreaterThan(0);
  });
});

describe("the stream of an older client", () => {
  const open = async ({ owner, projectId }: Pick<Platform, "owner" | "projectId">, at: URL, signal?: AbortSignal) => {
    const headers = { ...mcpHeaders({ owner, projectId }), accept: "text/event-stream", "mcp-session-id": "s-1" };
    return fetch(at, { headers, ...(signal && { signal }) });
  };

  test("ends with the next change if the key was revoked, and tells nothing of it", async () => {
    const platform = await startPlatform();
    const at = await mcpAddress(platform);
    const { body: key } = await platform.app.call("auth/keys/create", { label: "for now" }, { as: platform.owner });
    const stream = await open({ ...platform, owner: { ...platform.owner, apiKey: key.api_key } }, at);
    await platform.app.call("auth/keys/revoke", { key_id: key.key_id }, { as: platform.owner });
    await publish(platform, {});
    expect(await stream.text()).toBe(": open\n\n");
    expect((await open({ ...platform, owner: { ...platform.owner, apiKey: key.api_key } }, at)).status).toBe(401);
  });

  test("is refused with 405 beyond the number of streams that a person may have, and a closed one makes room", async () => {
    const platform = await startPlatform();
    const at = await mcpAddress(platform);
    const gone = new AbortController();
    for (let count = 0; count < streamsMax.perPerson; count++)
      expect((await open(platform, at, gone.signal)).status).toBe(200);
    expect((await open(platform, at)).status).toBe(405);
    gone.abort();
    const again = new AbortController();
    await expect.poll(async () => (await open(platform, at, again.signal)).status, { timeout: 20_000 }).toBe(200);
    again.abort();
  });
});
