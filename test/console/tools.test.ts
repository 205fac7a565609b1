import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/console.ts";
import { redeploy } from "../support/tools.ts";

const createTool = async ({ call }: ConsoleWorld, definition: unknown): Promise<string> =>
  (await call("tools/create", definition)).body.tool_id;

const optionTitles = (page: Page): Promise<string[]> =>
  page.getByRole("listbox", { name: "Found" }).getByRole("option").allInnerTexts();

describeInBrowser("tools in the console", () => {
  test('"steps found by typing kind of system, vendor, task or a synonym, typing errors allowed"; the first one begins a tool', async () => {
    const world = await startConsole();
    const { page, open, call } = world;
    await open("tools");
    const bar = page.getByLabel("Search steps");
    for (const query of ["deployment", "marketo", "newsletter", "trafic report", "conversions"]) {
      await bar.fill(query);
      const { body } = await call("steps/search", { query });
      const [first] = await optionTitles(page);
      expect(first, query).toContain(body.results[0].title);
    }
    await bar.fill("deployment");
    await page.getByRole("option", { name: /^Create Deployment/ }).click();
    await page.getByLabel("Title").fill("Ship it");
    // "Account in a drop-down": the only usable one is chosen already. "Fields with live options from the system".
    await page.getByRole("combobox", { name: "Project" }).click();
    await page.getByRole("option", { name: /^web/ }).first().click();
    await page.getByRole("button", { name: "Create the tool" }).click();
    await page.getByRole("heading", { level: 1, name: "Ship it" }).waitFor();
    const [made] = (await call("tools/list")).body.results;
    expect(made.steps).toMatchObject([{ step: "create_deployment", connection_id: world.connections.deployment }]);
    expect(made.steps[0].input.project).toMatch(/web|prj_/);
  });

  test('Use: "the form made from `params_schema`, progress while it runs, the result drawn"; Logs lists the run', async () => {
    const world = await startConsole();
    const { page, open, call } = world;
    const toolId = await createTool(world, redeploy(world.connections.deployment));
    await open(`tools/${toolId}`);
    await page.getByRole("heading", { level: 1, name: "Redeploy a branch" }).waitFor();
    await page.getByRole("button", { name: "Run the tool" }).click();
    await page.getByText("This is needed.").waitFor();
    await page.getByLabel("branch").fill("main");
    await page.getByRole("button", { name: "Run the tool" }).click();
    const steps = page.getByRole("list", { name: "Steps of the run" });
    await steps.getByText("create_deployment").waitFor();
    await page.getByLabel("Result", { exact: true }).getByText("deployment_id").waitFor();
    const [run] = (await call("runs/list", { tool_id: toolId })).body.results;
    expect(run.status).toBe("succeeded");
    expect(page.url()).toContain(`run=${run.run_id}`);
    await page.getByRole("tab", { name: "Logs" }).click();
    await page.getByRole("table", { name: "Runs of this tool" }).getByText(run.run_id).waitFor();
    expect(page.url()).toContain("tab=logs");
  });

  test("a tool is deleted only after a question, and YAML makes one", async () => {
    const world = await startConsole();
    const { page, open, call } = world;
    await open("tools?import=1");
    await page
      .getByLabel("YAML")
      .fill("title: Ask first\nsteps:\n  - name: asked\n    step: approve\n    input:\n      message: Go?\n");
    await page.getByRole("button", { name: "Import the tool" }).click();
    await page.getByRole("heading", { level: 1, name: "Ask first" }).waitFor();
    await open("tools");
    await page.getByRole("button", { name: "Delete Ask first" }).click();
    expect((await call("tools/list")).body.results).toHaveLength(1);
    await page.getByRole("button", { name: "Delete the tool" }).click();
    await page.getByText("No tool yet").waitFor();
    expect((await call("tools/list")).body.results).toEqual([]);
  });
});
