import { expect, test } from "vitest";
import { startDoor } from "../sandboxes/door/testing/start-door.ts";
import { createOutbound } from "./transport/outbound.ts";
import { watchSandboxes } from "./watch-sandboxes.ts";

test("a sandbox that is reset, or whose clock or limits are changed, is heard of before that is answered", async () => {
  const door = await startDoor();
  const outbound = createOutbound({ privateOrigins: [door.url] });
  const heard: string[] = [];
  const urls = { marketing: door.url, deployment: door.url, analytics: door.url };
  const watch = watchSandboxes(urls, outbound, async (origin) => void heard.push(origin));
  const listeners = 3;
  // Whoever does not listen yet is not waited for.
  const reset = async () => (await door.post("/_sandbox/reset", {})) && heard.splice(0).length;
  await expect.poll(reset).toBe(listeners);
  for (const [path, body, isHeard] of [
    ["reset", {}, true],
    ["limits", { limit: 1 }, true],
    ["clock", { advance_seconds: 1 }, true],
    ["limits", { limit: "many" }, false],
    ["faults", { status: 500 }, false],
  ] as const) {
    await door.post(`/_sandbox/${path}`, body);
    expect([path, heard.splice(0)]).toEqual([path, isHeard ? Array(listeners).fill(door.url) : []]);
  }
  await watch.stop();
  await outbound.close();
  await door.stop();
});
