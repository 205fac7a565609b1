import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";

describeInBrowser("a connected account", () => {
  // "Removing the integration revokes access, and steps using it stop working until reconnection."
  test("is removed after its impact was shown, refuses its steps, and is reconnected under the same id", async () => {
    const { page, open, call, run, connections } = await startConsole();
    const id = connections.analytics;
    const input = {
      property_id: "1000",
      metrics: ["sessions"],
      date_range: { start_date: "7daysAgo", end_date: "today" },
    };
    await call("tools/create", {
      title: "Weekly sessions",
      steps: [{ name: "report", step: "run_reports", connection_id: id, input }],
    });
    await open("integrations");
    const table = page.getByRole("table", { name: "Accounts of Web analytics" });
    await table.getByRole("row").nth(1).focus();
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog").first();
    await drawer.getByRole("link", { name: "Weekly sessions" }).waitFor();
    await drawer.getByText("create properties").waitFor();
    await drawer.getByRole("button", { name: "Remove the account" }).click();
    const asking = page.getByRole("dialog", { name: /^Remove / });
    await asking.getByRole("link", { name: "Weekly sessions" }).waitFor();
    await asking.getByText("The account at the system and its data are unaffected.").waitFor();
    expect((await call(`connections/${id}/get`)).body.state).toBe("connected");
    await asking.getByRole("button", { name: "Remove it" }).click();
    await drawer.getByText("This account was removed").waitFor();
    expect((await run("run_reports", input)).body).toMatchObject({
      status: "failed",
      problem: { code: "needs_reconnect" },
    });
    await drawer.getByRole("button", { name: "Reconnect" }).click();
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: /^Sign in at/ }).click();
    const popUp = await opened;
    await popUp.getByRole("link", { name: /^Continue to/ }).click();
    await popUp.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    expect((await call(`connections/${id}/get`)).body.state).toBe("connected");
    expect((await run("run_reports", input)).body.status).toBe("succeeded");
  });

  test("that lost its grant says so at once when it is checked, with the button that helps", async () => {
    const { page, open, connections, sandboxes } = await startConsole();
    await open(`integrations?account=${connections.deployment}`);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Last check", { exact: true }).waitFor();
    const error = { code: "forbidden", message: "Not authorized", invalidToken: true };
    await sandboxes.deployment.control("faults", {
      match: { path: "/v2/user" },
      times: 1,
      status: 403,
      body: { error },
    });
    await drawer.getByRole("button", { name: "Check now" }).click();
    await drawer.getByText("This account needs reconnecting").waitFor();
    await drawer.getByRole("button", { name: "Reconnect" }).waitFor();
    await page.reload();
    await page.getByRole("dialog").getByText("This account needs reconnecting").waitFor();
  });

  // "Access can be restricted to specific projects by project parameters".
  test("its policy is tried while it is typed, survives a reload, and holds once it is saved", async () => {
    const { page, open, call, run, connections, sandboxes } = await startConsole();
    const id = connections.deployment;
    const isRefused = page.getByText("It is refused");
    await open(`integrations?account=${id}`);
    await page.getByText("It passes").waitFor();
    await page.getByRole("button", { name: "Only reading" }).click();
    await page.getByText("A rule allows it.").waitFor();
    await page.getByRole("combobox", { name: "Method", exact: true }).click();
    await page.getByRole("option", { name: "DELETE" }).click();
    await page.getByLabel("Path of the call").fill("/v9/projects/web");
    await isRefused.waitFor();
    expect((await call(`connections/${id}/get`)).body.policy).toBeNull();
    await page.reload();
    await page.getByText("Not saved yet.").waitFor();
    expect(await page.getByLabel("Path of the call").inputValue()).toBe("/v9/projects/web");
    await isRefused.waitFor();
    // "Method, path, resource": a path of one project, and then only another project.
    const rule = page.getByRole("group", { name: "Rule 2" });
    await page.getByRole("button", { name: "Add a rule" }).click();
    await rule.getByRole("textbox", { name: "Path" }).fill("v9");
    await rule.getByText("Begin with a slash, without a query.").waitFor();
    await rule.getByRole("textbox", { name: "Path" }).fill("/v9/projects/*");
    await page.getByText("It passes").waitFor();
    await rule.getByLabel("Project", { exact: true }).fill("docs");
    await page.keyboard.press("Enter");
    await isRefused.waitFor();
    await page.getByRole("button", { name: "Save the policy" }).click();
    await page.getByText("The policy is saved.").waitFor();
    expect((await call(`connections/${id}/get`)).body.policy).toEqual({
      rules: [
        { effect: "allow", methods: ["GET"] },
        { effect: "allow", path: "/v9/projects/*", resources: { project: ["docs"] } },
      ],
    });
    const tried = await run("deployment_api_call", { method: "DELETE", path: "/v9/projects/web" });
    expect(tried.body.problem.code).toBe("policy_denied");
    const sent = await sandboxes.deployment.requests("/v9/projects/web");
    expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
    // What the step would say before it sends; this account's form begins with POST.
    await open(`integrations?account=${connections.analytics}`);
    await page.getByLabel("Path of the call").fill("v1beta/properties/1000/keyEvents");
    await page.getByLabel("Body (JSON, optional)").fill('{"eventName":"sign_up"}');
    await page.locator("code", { hasText: /^countingMethod$/ }).waitFor();
  });
});
