import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";

/** Keeps calls of one operation waiting from now on, until they are released. */
async function hold(page: Page, operation: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const arrived = page.waitForRequest(`**/latest/${operation}`);
  await page.route(`**/latest/${operation}`, async (route) => {
    await promise;
    await route.continue();
  });
  return { arrived, release: resolve };
}

const pause = { name: "pause", step: "wait", input: { seconds: 0 } };

// "The server slow", among the states that every page has: what a person chose or typed meanwhile is not lost.
describeInBrowser("while the server is slow", () => {
  test("a step that is chosen before the accounts are known gets the only one, and the tool is created with it", async () => {
    const { page, open, call, connections } = await startConsole();
    const accounts = await hold(page, "connections/list");
    await open("tools?new=1");
    await page.getByLabel("Title").fill("Ship it");
    await page.getByLabel("Search steps").fill("deployment");
    await page.getByRole("option", { name: /^List Deployments/ }).click();
    await page.getByRole("status", { name: "Loading the accounts" }).waitFor();
    accounts.release();
    await page.getByRole("button", { name: "Create the tool" }).click();
    await page.getByRole("heading", { level: 1, name: "Ship it" }).waitFor();
    const [made] = (await call("tools/list")).body.results;
    expect(made.steps).toMatchObject([{ step: "list_deployments", connection_id: connections.deployment }]);
  });

  test("what is typed before the console knows who is there is kept, and sent once it does", async () => {
    const { page, open, call } = await startConsole();
    const who = await hold(page, "auth/info");
    await open("/projects?new=1");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Summer launch");
    who.release();
    await dialog.getByRole("button", { name: "Create the project" }).click();
    await page.waitForURL(/\/projects\/prj_us_\w+$/);
    expect((await call("projects/list")).body.results).toMatchObject([{}, { name: "Summer launch" }]);
  });

  test("a tool that a step begins cannot be created without it", async () => {
    const { page, open, call } = await startConsole();
    const accounts = await hold(page, "connections/list");
    await open("tools");
    await page.getByLabel("Search steps").fill("deployment");
    await page.getByRole("option", { name: /^List Deployments/ }).click();
    await page.getByLabel("Title").fill("Ship it");
    expect(await page.getByRole("button", { name: "Create the tool" }).isDisabled()).toBe(true);
    accounts.release();
    await page.getByRole("button", { name: "Create the tool" }).click();
    await page.getByRole("heading", { level: 1, name: "Ship it" }).waitFor();
    const [made] = (await call("tools/list")).body.results;
    expect(made.steps).toMatchObject([{ step: "list_deployments" }]);
  });

  test("what is typed while a tool is saved is a change of the saved one", async () => {
    const { page, open, call } = await startConsole();
    const { tool_id } = (await call("tools/create", { title: "Waits", steps: [pause] })).body;
    await open(`tools/${tool_id}?tab=build`);
    await page.getByLabel("Title").fill("First");
    const update = await hold(page, `tools/${tool_id}/update`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await update.arrived;
    await page.getByLabel("Title").fill("Second");
    update.release();
    await page.getByRole("heading", { level: 1, name: "First" }).waitFor();
    await page.getByText("Unsaved changes").waitFor();
    expect(await page.getByLabel("Title").inputValue()).toBe("Second");
    expect(await page.getByText("Another person saved this tool").count()).toBe(0);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Everything is saved.").waitFor();
    expect((await call(`tools/${tool_id}/get`)).body).toMatchObject({ title: "Second", revision: 3 });
  });

  test("so is what is typed while a policy is saved", async () => {
    const { page, open, call, connections } = await startConsole();
    await open(`integrations?account=${connections.deployment}`);
    const update = await hold(page, `connections/${connections.deployment}/update`);
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByRole("button", { name: "Save the policy" }).click();
    await update.arrived;
    await page.getByRole("button", { name: "Add a rule" }).click();
    update.release();
    await expect.poll(async () => (await policyOf()).rules?.length).toBe(1);
    await page.getByRole("button", { name: "Save the policy" }).click();
    await expect.poll(async () => (await policyOf()).rules?.length).toBe(2);

    async function policyOf() {
      return (await call(`connections/${connections.deployment}/get`)).body.policy ?? {};
    }
  });
});
