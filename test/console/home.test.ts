import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser.ts";
import { startConsole } from "../support/console.ts";

describeInBrowser("the home of a project", () => {
  test("empty, a tour ends with a tool that ran on the sandboxes", async () => {
    const { page, open, call } = await startConsole();
    await open();
    await page.getByRole("button", { name: "Create the example tool" }).waitFor();
    // "Find a step" counts as done once a step was found.
    await expect.poll(() => page.locator(".tour button[data-completed]").count()).toBe(1);
    await page.getByRole("button", { name: "Create the example tool" }).click();
    await page.getByRole("button", { name: "Run “Latest deployments”" }).click();
    await page.waitForURL(/\/runs\/run_us_/);
    const [, runId] = /\/runs\/(run_us_\w+)/.exec(page.url()) ?? [];
    await expect
      .poll(async () => (await call(`runs/${runId}/get`)).body)
      .toMatchObject({ status: "succeeded", output: expect.any(Array) });
    await open();
    await page.getByRole("region", { name: "Running now" }).waitFor();
    expect(await page.getByText("First steps").count()).toBe(0);
  });

  test("it shows what waits for a person, the last report as a chart, and the last deployments", async () => {
    const { page, open, call, run, connections } = await startConsole();
    const tool = await call("tools/create", {
      title: "Asks",
      params_schema: { type: "object" },
      steps: [{ name: "ask", step: "approve", input: { message: "Ship it on Friday?" } }],
    });
    const pausing = await call("tools/create", {
      title: "Pauses",
      steps: [{ name: "pause", step: "wait", input: { seconds: 600 } }],
    });
    for (const { body } of [tool, pausing]) await call(`tools/${body.tool_id}/trigger_async`, { params: {} });
    await expect.poll(async () => (await call("runs/list", { status: "waiting" })).body.results.length).toBe(2);
    const report = await run("run_reports", {
      property_id: "properties/1000",
      metrics: ["activeUsers"],
      dimensions: ["date"],
      date_range: { start_date: "7daysAgo", end_date: "yesterday" },
    });
    expect(report.body.status).toBe("succeeded");
    expect(connections.deployment).toMatch(/^con_/);
    await open();
    await page.getByRole("region", { name: "Waiting for a person" }).getByText("Ship it on Friday?").waitFor();
    await page.getByRole("region", { name: "Running now" }).getByRole("link", { name: "Pauses" }).waitFor();
    await page.getByRole("img", { name: "Chart of activeUsers by date" }).waitFor();
    const deployments = page.getByRole("region", { name: "Last deployments" }).getByRole("listitem");
    await deployments.first().waitFor();
  });
});
