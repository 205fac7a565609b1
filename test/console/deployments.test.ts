import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";

const commit = "1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c";

describeInBrowser("deployments in the console", () => {
  test("one is created with its options, followed in its build log to the end, redeployed and cancelled", async () => {
    const { page, open, call, sandboxes, connections } = await startConsole();
    // It waits in the queue until the clock of the sandbox moves, however slow this machine is.
    await sandboxes.deployment.control("limits", { queued_seconds: 600 });
    await open("deployments?new=1");
    const form = page.getByRole("dialog", { name: "Create a deployment" });
    await form.getByRole("combobox", { name: "Project" }).fill("web");
    await page.getByRole("option", { name: /^web/ }).first().click();
    await form.getByRole("combobox", { name: "Branch" }).fill("feature/checkout");
    await page.keyboard.press("Escape");
    await form.getByRole("button", { name: /^Show \d+ more fields?$/ }).click();
    // "Create with every option": each field of the step is in the form.
    const { body: step } = await call("steps/create_deployment/get");
    for (const { title } of Object.values<{ title: string }>(step.input_schema.properties)) {
      const label = form.getByText(new RegExp(`^${title}( \\*)?$`)).first();
      expect([title, await label.isVisible()]).toEqual([title, true]);
    }
    await form.getByRole("combobox", { name: "Environment" }).click();
    await page.getByRole("option", { name: "production" }).click();
    await form.getByRole("button", { name: "Deploy to production" }).waitFor();
    await form.getByRole("combobox", { name: "Environment" }).click();
    await page.getByRole("option", { name: "preview" }).click();
    await form.getByLabel("Commit").fill("no hash");
    await form.getByRole("button", { name: "Deploy", exact: true }).click();
    await form.getByText("Write the commit's hash.").first().waitFor();
    await form.getByLabel("Commit").fill(commit);
    await form.getByRole("textbox", { name: "Settings" }).fill('{ "build_command": "npm run shop" }');
    await form.getByRole("textbox", { name: "Metadata" }).fill('{ "ticket": "SHOP-7" }');
    await form.getByRole("button", { name: "Deploy", exact: true }).click();

    const one = page.getByRole("dialog", { name: "web" });
    await one.getByText("Queued").waitFor();
    const id = new URL(page.url()).searchParams.get("deployment") ?? "";
    const read = async (which: string) => {
      const input = { method: "GET", path: `/v13/deployments/${which}` };
      const body = { connection_id: connections.deployment, input };
      return (await call("steps/deployment_api_call/read", body)).body.output.body;
    };
    expect((await read(id)).meta).toMatchObject({ ticket: "SHOP-7", githubCommitRef: "feature/checkout" });
    const [{ run_id }] = (await call("runs/list")).body.results;
    expect((await call(`runs/${run_id}/get`)).body.params).toMatchObject({
      environment: "preview",
      commit_sha: commit,
      settings: { build_command: "npm run shop" },
      metadata: { ticket: "SHOP-7" },
    });
    await sandboxes.deployment.control("clock", { advance_seconds: 700 });
    await one.getByText("Ready").waitFor();
    await one.getByRole("log", { name: "Build log" }).getByText("Deployment completed").waitFor();

    await sandboxes.deployment.control("limits", { queued_seconds: 0, building_seconds: 3600 });
    await one.getByRole("button", { name: "Redeploy" }).click();
    await page.getByRole("radio", { name: "Production" }).click();
    await page.reload();
    await one.getByRole("button", { name: "Redeploy" }).click();
    await page.getByRole("button", { name: "Redeploy to production" }).waitFor();
    await page.getByRole("radio", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Redeploy as a preview" }).click();
    await one.getByRole("button", { name: "Cancel the deployment" }).waitFor();
    const again = new URL(page.url()).searchParams.get("deployment") ?? "";
    expect(again).not.toBe(id);
    await one.getByRole("button", { name: "Cancel the deployment" }).click();
    const ask = page.getByRole("dialog", { name: "Cancel this deployment?" });
    await ask.getByRole("button", { name: "Cancel the deployment" }).click();
    await one.locator(".status", { hasText: "Cancelled" }).waitFor();
    expect(await read(again)).toMatchObject({ readyState: "CANCELED", meta: { githubCommitRef: "feature/checkout" } });
    // What the page looked at left no run; what the person did left one each.
    const { body: runs } = await call("runs/list");
    const steps = runs.results.map(({ step_id }: { step_id: string }) => step_id);
    expect(steps).toEqual(["cancel_deployment", "create_deployment", "create_deployment"]);
  });

  test("filters and view stand in the address, an account is chosen, and a failure says what to do", async () => {
    const { page, open, call, sandboxes } = await startConsole();
    const { token, team_id } = sandboxes.deployment.credentials;
    const credentials = { token, team_id };
    const wish = { system: "deployment", instance: "sandbox", label: "Second team", credentials };
    const { body: second } = await call("connections/connect", wish);
    await open("deployments");
    const rows = page.getByRole("table", { name: "Deployments" }).locator("tbody tr");
    await rows.first().waitFor();
    await page.getByRole("combobox", { name: "Project" }).click();
    await page.getByRole("option", { name: "web", exact: true }).click();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Ready" }).click();
    const isAll = async (text: string) => (await rows.allTextContents()).every((row) => row.includes(text));
    await expect.poll(() => isAll("Ready")).toBe(true);
    const count = await rows.count();
    await page.reload();
    await rows.first().waitFor();
    expect([await rows.count(), await isAll("web")]).toEqual([count, true]);
    await page.getByRole("combobox", { name: "Account" }).click();
    await page.getByRole("option", { name: /^Second team/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("account")).toBe(second.connection_id);
    await page.getByText("Timeline", { exact: true }).click();
    const marks = page.getByRole("region", { name: "Timeline of deployments by project" }).getByRole("button");
    await marks.last().focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "web" }).getByRole("log").waitFor();
    await page.keyboard.press("Escape");

    const body = { error: { code: "forbidden", message: "Not authorized", invalidToken: true } };
    await sandboxes.deployment.control("faults", { match: { method: "GET" }, times: 50, status: 403, body });
    await page.reload();
    await page.getByRole("alert").getByRole("link", { name: "Reconnect" }).waitFor();
  });
});
