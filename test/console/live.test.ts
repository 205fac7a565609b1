import type { Request } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";

describeInBrowser("live updates", () => {
  // "Live by server-sent events": what one does the other shows without reload.
  test("two pages show what the other does by a stream, which is opened again when it was cut, or by polling without one", async () => {
    const { page, open, site, projectId, call, run: runStep, app } = await startConsole();
    const steps = [{ name: "ask", step: "approve", input: { message: "Ship it on Friday?" } }];
    const { body: tool } = await call("tools/create", { title: "Ship", params_schema: { type: "object" }, steps });
    const home = `${site}/projects/${projectId}`;
    const other = await page.context().newPage();
    await open("runs");
    const streamed = other.waitForResponse((response) => isStream(response.request()));
    await other.goto(home);
    expect((await streamed).headers()["content-type"]).toContain("text/event-stream");
    await page.getByText("No runs yet").waitFor();
    const { body: run } = await call(`tools/${tool.tool_id}/trigger_async`, { params: {} });
    await page.getByRole("table", { name: "Runs" }).getByText("Waiting").waitFor();
    await other.getByRole("region", { name: "Waiting for a person" }).getByText("Ship it on Friday?").waitFor();
    await other.goto(`${home}/runs/${run.run_id}`);
    await other.getByRole("button", { name: "Approve", exact: true }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Approve and send" }).click();
    await page.getByRole("table", { name: "Runs" }).getByText("Succeeded").waitFor();
    const again = page.waitForRequest(isStream);
    app.app.server.closeAllConnections();
    expect((await again).postDataJSON()).toEqual({ since: expect.any(String) });
    // Where no stream can be had, pages ask again by themselves.
    await page.route("**/latest/projects/watch", (route) => route.abort());
    await open("runs?status=failed");
    await page.getByText("No run matches these filters").waitFor();
    await runStep("deployment_api_call", { method: "GET", path: "/v9/projects/none" });
    await page.getByRole("table", { name: "Runs" }).getByText("Failed").waitFor();
  });
});

const isStream = (request: Request): boolean => request.url().endsWith("/latest/projects/watch");
