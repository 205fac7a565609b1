import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

test("operations that were never called do not appear in the metrics", async () => {
  const metrics = createMetrics();
  metrics.meterFor("us", "projects/list");
  const used = metrics.meterFor("us", "projects/get");
  used.observe(200, 0.01);
  const { text } = await metrics.text();
  expect(text).toContain('signalbox_request_seconds_count{region="us",operation="projects/get"} 1');
  expect(text).not.toContain("projects/list");
  used.observe(200, 0.01);
  expect((await metrics.text()).text).toContain(
    'signalbox_requests_total{region="us",operation="projects/get",status="200"} 2',
  );
});

test("a long page is written at most twice a second, however often it is requested", async () => {
  let now = 1000;
  const metrics = createMetrics(() => now);
  for (let index = 0; index < 300; index++) metrics.meterFor("us", `operation ${index}`).observe(200, 0.01);
  const { text } = await metrics.text();
  expect(text.length).toBeGreaterThan(200_000);
  metrics.meterFor("us", "one more").observe(200, 0.01);
  expect((await metrics.text()).text).toBe(text);
  now += 500;
  expect((await metrics.text()).text).toContain("one more");
});
