import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";

describeInBrowser("the home of a project", () => {
  test("empty, a tour of four steps ends with a tool that ran on the sandboxes", async () => {
    const world = await startConsole();
    const { page, app, owner, site, sandboxes } = world;
    const wish = { name: "Empty", description: "", organization_id: owner.organizationId };
    const { project_id: project } = (await world.call("projects/create", wish)).body;
    const call = (operation: string) => app.call(operation, {}, { as: owner, project });
    const open = () => page.goto(`${site}/projects/${project}`);
    const stepsDone = (count: number) =>
      expect.poll(() => page.locator(".tour button[data-completed]").count()).toBe(count);
    await open();
    await page.getByText("First steps").waitFor();
    await stepsDone(0);
    await page.getByRole("link", { name: "Connect an account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Deployment platform/ }).click();
    await page.getByRole("radio", { name: "Sandbox" }).check();
    await page.getByRole("radio", { name: "Paste credentials" }).check();
    const { token, team_id: team } = sandboxes.deployment.credentials;
    await dialog.getByLabel("Token").fill(token);
    await dialog.getByLabel("Team").fill(team);
    await page.getByRole("button", { name: "Connect the account" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    await open();
    await page.getByRole("link", { name: "Find a step" }).waitFor();
    await stepsDone(1);
    await page.getByRole("link", { name: "Find a step" }).click();
    await page.getByLabel("Search steps").fill("deployment");
    await page.getByRole("option", { name: /^List Deployments/ }).click();
    await page.getByRole("button", { name: "Create the tool" }).waitFor();
    await open();
    await page.getByRole("link", { name: "Continue with my tool" }).waitFor();
    await stepsDone(2);
    await page.getByRole("button", { name: "Create the example tool" }).click();
    await stepsDone(3);
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

  test("it shows what waits for a person, limits that are close, the last report as a chart, and the last deployments", async () => {
    const { page, open, call, run, connections, sandboxes } = await startConsole();
    await call(`connections/${connections.marketing}/update`, { settings: { daily_quota: 2 } });
    for (const _ of [1, 2]) await run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" });
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
    const { token, team_id } = sandboxes.deployment.credentials;
    const wish = { system: "deployment", instance: "sandbox", label: "Second team", credentials: { token, team_id } };
    const { connection_id: second } = (await call("connections/connect", wish)).body;
    const body = { error: { code: "forbidden", message: "Not authorized", invalidToken: true } };
    await sandboxes.deployment.control("faults", { match: { path: "/v2/user" }, times: 1, status: 403, body });
    expect((await call(`connections/${second}/check`)).body.state).toBe("needs_reconnect");
    await open();
    await page.getByRole("region", { name: "Waiting for a person" }).getByText("Ship it on Friday?").waitFor();
    await page.getByRole("region", { name: "Running now" }).getByRole("link", { name: "Pauses" }).waitFor();
    await page.getByRole("img", { name: "Chart of activeUsers by date" }).waitFor();
    const deployments = page.getByRole("region", { name: "Last deployments" }).getByRole("listitem");
    await deployments.first().waitFor();
    await page.getByRole("region", { name: "Limits that are close" }).getByText("Calls a day").waitFor();
    await page.getByRole("link", { name: "Reconnect Second team" }).click();
    await page.waitForURL(`**/integrations?connect=${second}`);
    await page.getByRole("dialog", { name: "Reconnect Second team" }).waitFor();
    await page.goBack();
    // "Governs projects": the name is changed where the project is.
    await page.getByRole("button", { name: "Edit the project" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Summer launch");
    await page.reload();
    await expect.poll(() => page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Summer launch");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: /Summer launch.*Change the project/ }).waitFor();
    expect((await call("projects/get")).body.name).toBe("Summer launch");
  });
});
