import { expect, test } from "vitest";
import { startDoor } from "../../sandboxes/door/testing/start-door.ts";
import { createOutbound } from "../transport/outbound.ts";
import { type SandboxChange, watchSandboxes } from "./watch-sandboxes.ts";

test("a sandbox that is reset, or whose clock or limits are changed, is noticed before the request to it ends", async () => {
  const door = await startDoor();
  const outbound = createOutbound({ privateOrigins: [door.url] });
  const heard: SandboxChange[] = [];
  const urls = { marketing: door.url, deployment: door.url, analytics: door.url };
  const watch = watchSandboxes(urls, outbound, async (change) => void heard.push(change));
  const listeners = 3;
  // Whoever does not listen yet is not waited for.
  const reset = async () => (await door.post("/_sandbox/reset", {})) && heard.splice(0).length;
  await expect.poll(reset).toBe(listeners);
  for (const [path, body, found] of [
    ["reset", {}, [true, true, true]],
    ["limits", { limit: 1 }, [false, false, false]],
    ["clock", { advance_seconds: 1 }, [false, false, false]],
    ["limits", { limit: "many" }, []],
    ["faults", { status: 500 }, []],
  ] as const) {
    await door.post(`/_sandbox/${path}`, body);
    expect([path, heard.splice(0).map(({ isReset }) => isReset)]).toEqual([path, found]);
  }
  await watch.stop();
  await outbound.close();
  await door.stop();
});
