import { expect, test } from "vitest";
import { startTestSandbox } from "../../../sandboxes/server/testing/start-test-sandbox.ts";
import { sandboxUrls } from "../../../test/support/systems/vault.ts";
import { systemIds } from "../../systems/index.ts";
import { createOutbound } from "../../transport/outbound.ts";
import { type SandboxChange, watchSandboxes } from "./watch-sandboxes.ts";

test("a sandbox that is reset, or whose clock or limits are changed, is noticed before the request to it ends", async () => {
  const sandbox = await startTestSandbox();
  const outbound = createOutbound({ privateOrigins: [sandbox.url] });
  const heard: SandboxChange[] = [];
  const urls = sandboxUrls({}, sandbox.url);
  const watch = watchSandboxes(urls, outbound, async (change) => void heard.push(change));
  // A server that does not listen yet is not waited for.
  const reset = async () => (await sandbox.post("/_sandbox/reset", {})) && heard.splice(0).length;
  await expect.poll(reset).toBe(systemIds.length);
  const each = (isReset: boolean) => systemIds.map(() => isReset);
  for (const [path, body, found] of [
    ["reset", {}, each(true)],
    ["limits", { limit: 1 }, each(false)],
    ["clock", { advance_seconds: 1 }, each(false)],
    ["limits", { limit: "many" }, []],
    ["faults", { status: 500 }, []],
  ] as const) {
    await sandbox.post(`/_sandbox/${path}`, body);
    expect([path, heard.splice(0).map(({ isReset }) => isReset)]).toEqual([path, found]);
  }
  await watch.stop();
  await outbound.close();
  await sandbox.stop();
});
