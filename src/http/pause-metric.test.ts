import { expect, test } from "vitest";
import { startApp } from "../../test/support/app.ts";
import { cleanUpLater, newStore } from "../../test/support/stores.ts";
import { type LoopPause, watchLoop } from "../kernel/loop-watch.ts";
import type { Store } from "../store/db.ts";
import { createMetrics } from "./metrics.ts";

/** "… with the operation, tenant and step that caused it (`event_loop_pause_seconds` in the metrics)." */

test("a call that blocks the event loop is reported with its operation and organization", async () => {
  const real = await newStore("sqlite");
  let isSlow = false;
  const store: Store = new Proxy(real, {
    get(target, name: keyof Store) {
      if (name !== "query") return target[name];
      return (sql: string, values: never) => {
        // The query of the operation after the caller is authenticated.
        if (isSlow && /from projects/.test(sql)) standStill(600);
        return target.query(sql, values);
      };
    },
  });
  const app = await startApp("sqlite", { store });
  const owner = await app.person("owner@example.com");
  const pauses: LoopPause[] = [];
  const watching = watchLoop((pause) => void pauses.push(pause));
  cleanUpLater(async () => watching.stop());
  isSlow = true;
  await app.call("projects/list", {}, { as: owner });
  const caused = () => pauses.find(({ work }) => work.operation === "projects/list");
  while (!caused()) await new Promise((resolve) => setImmediate(resolve));
  expect(caused()?.work.organizationId).toBe(owner.organizationId);
  expect(caused()?.seconds).toBeGreaterThan(0.5);
});

test("the metrics count pauses and keep the worst, without naming tenants", async () => {
  const metrics = createMetrics();
  const at = new Date("2030-01-01T00:00:00Z");
  const pause = (seconds: number, operation: string): LoopPause => ({
    seconds,
    cpuSeconds: seconds,
    doing: "a call",
    work: { operation, organizationId: "org_us_secret", projectId: "prj_us_secret", stepId: "run_reports" },
    share: 1,
    at,
  });
  metrics.pause(pause(0.3, "tools/import"));
  metrics.pause(pause(7, "tools/create"));
  metrics.pause(pause(2, "tools/import"));
  const { text } = await metrics.text();
  const name = "signalbox_event_loop_pause_seconds";
  expect(text).toContain(`${name}_count{operation="tools/import",step="run_reports"} 2`);
  expect(text).toContain(`${name}_worst{operation="tools/create",step="run_reports"} 7`);
  expect(text).toContain(`${name}_worst_at ${at.getTime() / 1000}`);
  expect(text).not.toContain("secret");
  expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds/);
});

function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
