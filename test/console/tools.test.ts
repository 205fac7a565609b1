import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { redeploy } from "../support/runs/tools.ts";

const createTool = async ({ call }: ConsoleWorld, definition: unknown): Promise<string> =>
  (await call("tools/create", definition)).body.tool_id;

/** A second account of the deployment platform. */
async function connectSecond({ call, sandboxes }: ConsoleWorld): Promise<string> {
  const { token, team_id } = sandboxes.deployment.credentials;
  const wish = { system: "deployment", instance: "sandbox", label: "Second team", credentials: { token, team_id } };
  return (await call("connections/connect", wish)).body.connection_id;
}

/** What stands beside a field about it. */
const saidBeside = (field: Locator): Promise<string> =>
  field.evaluate((element) =>
    (element.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id: string) => element.ownerDocument.getElementById(id)?.textContent ?? "")
      .join(" "),
  );

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
      await expect.poll(async () => (await optionTitles(page))[0], { message: query }).toContain(body.results[0].title);
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
    await steps.getByText("Create Deployment").waitFor();
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

  test('Build: "pick values of earlier steps from their real last output, shown as chips with a preview of the value"', async () => {
    const world = await startConsole();
    const { page, open, call, connections, sandboxes } = world;
    const second = await connectSecond(world);
    const toolId = await createTool(world, {
      title: "Stop the newest",
      steps: [{ name: "latest", step: "list_deployments", connection_id: connections.deployment, input: { limit: 1 } }],
    });
    await open(`tools/${toolId}?tab=build`);
    // "Run one step alone and pin its output."
    await page.getByRole("button", { name: /List Deployments/ }).click();
    await page.getByRole("button", { name: "Run this step" }).click();
    const output = page.getByRole("region", { name: "Output of this step" });
    await output.getByText("of this step, run alone").waitFor();
    await output.getByRole("button", { name: "Pin this output" }).click();
    await output.getByText("Pinned", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Run this step" }).click();
    await output.getByText("This output is pinned, and a newer one exists.").waitFor();
    // A reload keeps it. The page says what this browser cannot keep, and knows it until the person leaves.
    const other = { alone: { output: "x".repeat(199_900), at: "", afterRun: null } };
    await page.evaluate(`for (const key of Object.keys(localStorage)) if (key.endsWith("outputs.${toolId}"))
      localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), other: ${JSON.stringify(other)} }))`);
    await page.reload();
    await output.getByText("This output is pinned, and a newer one exists.").waitFor();
    await output.getByRole("button", { name: "Unpin" }).click();
    await output.getByText("of this step, run alone").waitFor();
    await page.getByRole("button", { name: "Run this step" }).click();
    await output.getByText("It is too large to keep").waitFor();
    await page.getByLabel("Search steps").fill("cancel");
    await page.getByRole("option", { name: /^Cancel Deployment/ }).click();
    // A list that closed with the next press would move the page from under the pointer.
    await page.getByRole("listbox", { name: "Found" }).waitFor({ state: "detached" });
    // "Account in a drop-down with several accounts": none is chosen for the person.
    const cancel = page.getByRole("listitem", { name: "Step 2: Cancel Deployment" });
    await page.getByText("2 mistakes to fix").waitFor();
    await cancel.getByRole("combobox", { name: "Account" }).click();
    expect(await page.getByRole("listbox", { name: "Account" }).getByRole("option").count()).toBe(2);
    await page.getByRole("option", { name: /^Second team/ }).click();
    // "Mistakes beside the field while typing."
    await page.getByText("1 mistake to fix").waitFor();
    await expect
      .poll(() => saidBeside(cancel.getByRole("combobox", { name: "Deployment" })))
      .toMatch(/needed|required/i);
    await page.getByRole("button", { name: "Pick a value for Deployment" }).click();
    await page.getByRole("button", { name: "Use steps.latest.output.deployments[0].deployment_id" }).click();
    const newest = (await world.run("list_deployments", { limit: 1 })).body.output.deployments[0].deployment_id;
    await page.getByText(`= ${newest}`).waitFor();
    // "Dry run shows the exact request and cost."
    const sentBefore = await sandboxes.deployment.requests();
    await page.getByRole("button", { name: "Dry run" }).click();
    const shown = page.getByRole("region", { name: "Dry run" });
    await shown.getByText(`/v12/deployments/${newest}/cancel`).waitFor();
    await shown.getByText("Cost: 2 calls").waitFor();
    const writes = (all: { method: string }[]) => all.filter(({ method }) => method === "PATCH").length;
    expect(writes(await sandboxes.deployment.requests())).toBe(writes(sentBefore));
    await page.getByText("Unsaved changes").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Everything is saved.").waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("button", { name: "Publish the tool" }).click();
    await page.getByText("Version 1", { exact: true }).waitFor();
    const { body } = await call(`tools/${toolId}/get`);
    expect(body.published_version).toBe(1);
    expect(body.steps[1]).toMatchObject({
      step: "cancel_deployment",
      connection_id: second,
      input: { deployment_id: "{{steps.latest.output.deployments[0].deployment_id}}" },
    });
  });

  // "`if`, `foreach`, waits, approvals, on-failure."
  test('Build: "only if" skips a step, "for each of" repeats one with each item, and a failure may be passed over', async () => {
    const world = await startConsole();
    const { page, open, call, connections } = world;
    const connection_id = connections.deployment;
    const get = (name: string) => ({ name, step: "deployment_api_call", connection_id, input: { method: "GET" } });
    const toolId = await createTool(world, {
      title: "Look at each",
      steps: [
        { name: "latest", step: "list_deployments", connection_id, input: { limit: 2 } },
        { ...get("each"), input: { method: "GET", path: "/v9/projects/none" } },
        { ...get("never"), input: { method: "GET", path: "/v9/projects" } },
      ],
    });
    await open(`tools/${toolId}?tab=build`);
    await page.getByRole("button", { name: /List Deployments/ }).click();
    await page.getByRole("button", { name: "Run this step" }).click();
    await page.getByRole("region", { name: "Output of this step" }).waitFor();
    const step = (number: number) => page.getByRole("listitem", { name: new RegExp(`^Step ${number}`) });
    await step(2)
      .getByRole("button", { name: /^2 Deployment Platform API Call/ })
      .click();
    await step(2).getByRole("button", { name: "Pick a value for For each of" }).click();
    await page.getByRole("button", { name: "Use steps.latest.output.deployments", exact: true }).click();
    await step(2).getByText("for each", { exact: true }).waitFor();
    await step(2).getByRole("combobox", { name: "Path" }).fill("/v13/deployments/");
    await step(2).getByRole("button", { name: "Pick a value for Path" }).click();
    // One of the items is shown beside what stands for each.
    await page.getByRole("button", { name: /^Use foreach\.item\.deployment_id/ }).click();
    await step(2).getByText("= dpl_").waitFor();
    await step(2).getByLabel("Continue when it fails").check();
    await step(3)
      .getByRole("button", { name: /^3 Deployment Platform API Call/ })
      .click();
    const onlyIf = step(3).getByRole("textbox", { name: "Only if" });
    await onlyIf.fill("{{ $count(steps.gone.output) > 2 }}");
    await expect.poll(() => saidBeside(onlyIf)).toContain("gone");
    await onlyIf.fill("{{ $count(steps.each.output) > 2 }}");
    for (const [words, title] of [
      ["pause", "Wait"],
      ["person", "Ask for approval"],
    ] as const) {
      await page.getByLabel("Search steps").fill(words);
      await page.getByRole("option", { name: new RegExp(`^${title}`) }).click();
      await page.getByRole("listbox", { name: "Found" }).waitFor({ state: "detached" });
    }
    await step(4)
      .getByRole("button", { name: /^4 Wait/ })
      .click();
    await step(4).getByLabel("Seconds", { exact: true }).fill("0");
    await step(5)
      .getByRole("button", { name: /^5 Ask for approval/ })
      .click();
    await step(5).getByRole("textbox", { name: "Question" }).fill("All good?");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Everything is saved.").waitFor();
    await page.getByRole("tab", { name: "Use" }).click();
    await page.getByRole("button", { name: "Run the tool" }).click();
    await page.getByRole("list", { name: "Steps of the run" }).getByText("Skipped").waitFor();
    const [{ run_id: runId }] = (await call("runs/list", { with_step: "deployment_api_call" })).body.results;
    const { body: run } = await call(`runs/${runId}/get`);
    const outputOf = (name: string) => run.steps.find((each: { name: string }) => each.name === name).output;
    const ids = outputOf("latest").deployments.map(({ deployment_id }: { deployment_id: string }) => deployment_id);
    expect(ids).toHaveLength(2);
    expect(JSON.stringify(outputOf("each").map(({ body }: { body: { id: string } }) => body.id))).toBe(
      JSON.stringify(ids),
    );
    expect((await call(`tools/${toolId}/get`)).body.steps[1]).toMatchObject({ continue_on_error: true });
    await page.getByText("All good?").waitFor();
  });

  test('"reload in the middle of a form (drafts kept)"; YAML "edited both ways"; "versions with a difference view"', async () => {
    const world = await startConsole();
    const { page, open, call } = world;
    const ask = { name: "asked", step: "approve", input: { message: "Go?" } };
    const toolId = await createTool(world, { title: "Asks", steps: [ask] });
    await call(`tools/${toolId}/publish`);
    await open(`tools/${toolId}?tab=build&beside=yaml`);
    await page.getByLabel("Title").fill("Asks twice");
    await page.getByText("Unsaved changes").waitFor();
    await page.reload();
    const yaml = page.getByLabel("The tool as YAML");
    await expect.poll(() => yaml.inputValue()).toContain("title: Asks twice");
    expect((await call(`tools/${toolId}/get`)).body.title).toBe("Asks");
    const whole = await yaml.inputValue();
    await yaml.fill(`${whole}  - name: [`);
    await page.reload();
    await expect.poll(() => yaml.inputValue()).toBe(`${whole}  - name: [`);
    await yaml.fill(whole);
    await yaml.fill(`${await yaml.inputValue()}  - name: pause\n    step: wait\n    input:\n      seconds: 5\n`);
    await page.getByRole("listitem", { name: "Step 2: Wait" }).waitFor();
    // "Drag or keys to order": the step keeps the focus while it moves.
    await page.getByRole("button", { name: /Wait\s*pause/ }).focus();
    for (const key of ["Alt+ArrowUp", "Alt+ArrowDown", "Alt+ArrowUp"]) await page.keyboard.press(key);
    await expect.poll(() => yaml.inputValue()).toMatch(/name: pause[\s\S]*name: asked/);
    await page
      .getByRole("listitem", { name: "Step 2: Ask for approval" })
      .locator(".drag")
      .dragTo(page.getByRole("listitem", { name: "Step 1: Wait" }));
    await expect.poll(() => yaml.inputValue()).toMatch(/name: asked[\s\S]*name: pause/);
    await page.getByRole("button", { name: "Move pause up" }).click();
    await expect.poll(() => yaml.inputValue()).toMatch(/name: pause[\s\S]*name: asked/);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Asks twice" }).waitFor();
    const { body } = await call(`tools/${toolId}/get`);
    expect(body.steps.map(({ name }: { name: string }) => name)).toEqual(["pause", "asked"]);
    await page.getByText("Versions", { exact: true }).click();
    const difference = page.getByRole("region", { name: "Difference from version 1 to the draft" });
    await difference.getByText("+ title: Asks twice").waitFor();
    await difference.getByText("- title: Asks", { exact: true }).waitFor();
  });
});
