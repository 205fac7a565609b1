import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { openPage, typeSignIn } from "../support/browser/pages.ts";
import { runOnce } from "../support/runs/runs.ts";
import { givePassword, goodPassword } from "../support/sign-in/sign-in.ts";
import { asRole } from "../support/team.ts";

/** Names of controls that change something. */
const changing =
  /^(?:add|approve|cancel|change|check|connect|create|delete|deploy|edit|end|handle|import|invite|it (?:did|happened)|make|new|pause|publish|re-?roll|reconnect|redeploy|remove|rename|replay|resend|resume|revoke|role of|rotate|run|save|send|set|try|verify)\b/i;

describeInBrowser("the console of a viewer", () => {
  // "Viewer reads." A control that cannot be used is not there, or says why.
  test("opens every page, never asks again for what was refused, and offers nothing that a viewer may not do", async () => {
    const world = await startConsole();
    const { site } = world;
    const home = `${site}/projects/${world.projectId}`;
    const views = await fill(world);
    const page = await signInAsViewer(world);
    const [refused, offered]: [string[], Record<string, string[]>] = [[], {}];
    let address = "";
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(`${address}: ${new URL(response.url()).pathname}`);
    });
    for (const [part, title, text] of views) {
      address = part;
      await page.goto(part.startsWith("/") ? `${site}${part}` : `${home}${part === "" ? "" : `/${part}`}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await page.getByText(text).first().waitFor();
      const names = await controlsOf(page);
      const found = names.filter((name) => changing.test(name));
      if (found.length > 0) offered[part] = found;
    }
    // Some pages ask before they know the role. What was refused once is not asked again.
    expect(refused.filter((each, index) => refused.indexOf(each) < index)).toEqual([]);
    expect(offered).toEqual({
      "/projects": ["Create a project"],
      "integrations?tab=keys": ["Create an API key", "Re-roll first key", "Revoke first key"],
    });

    // What a viewer may use on the page of tools: the steps, to look them up.
    await page.goto(`${home}/tools`);
    await page.getByLabel("Search steps").fill("deployment");
    const steps = page.getByRole("list", { name: "Steps" }).getByRole("listitem");
    expect((await steps.allTextContents()).join()).toMatch(/Create Deployment.*List Deployments|List.*Create/);
    await page.getByText("Ask an admin of this project for the role Editor.").waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search pages, tools and actions" }).fill("create");
    await page.getByRole("option", { name: /^Create an API key/ }).waitFor();
    expect(
      (await page.getByRole("option").allTextContents()).filter((name) => /^Create an? (?!project|API key)/.test(name)),
    ).toEqual([]);
  });
});

/** Enabled controls of the page and its dialogs, by name. */
const controlsOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll("main, [role=dialog]")].flatMap((part) =>
    [...part.querySelectorAll("button, a[href], select, textarea, input, [role=combobox], [role=switch]")]
      .filter((control) => !control.matches(":disabled") && control.getAttribute("aria-disabled") !== "true" && !control.readOnly)
      .map((control) => (control.getAttribute("aria-label") ?? control.innerText ?? "").trim()))`);

async function signInAsViewer({ app, owner, call, site, projectId }: ConsoleWorld): Promise<Page> {
  const vera = await app.person("vera@example.com", owner);
  await givePassword(app, vera);
  await call("auth/invite/create", { email: vera.email, permissions: asRole("viewer") });
  const page = await openPage(await openBrowser(), `${site}/projects/${projectId}`);
  await typeSignIn(page, vera.email, goodPassword);
  await page.waitForURL(`${site}/projects/${projectId}`);
  return page;
}

/** Something on every page, and the pages: address, title, and a text that shows that its data is there. */
async function fill(world: ConsoleWorld): Promise<[part: string, title: string | RegExp, text: string | RegExp][]> {
  const { call, connections, run } = world;
  const { body: done } = await run("deployment_api_call", { method: "GET", path: "/v9/projects" });
  const steps = [{ name: "ok", step: "approve", input: { message: "Deploy it?" } }];
  const { body: tool } = await call("tools/create", { title: "Release", params_schema: { type: "object" }, steps });
  const { body: asked } = await call(`tools/${tool.tool_id}/trigger_async`, { params: {} });
  await runOnce(world, asked.run_id, "waiting");
  await call("schedules/create", { tool_id: tool.tool_id, cron: "0 9 * * 1-5", timezone: "Europe/Berlin", params: {} });
  await call("agents/create", { name: "Watch" });
  await call("auth/service_users/create", { name: "nightly deployment" });
  return [
    ["/projects", "Projects", "A project"],
    ["", "Home", "Waiting for a person"],
    ["people?invite=1", "People", /Only an admin of this project/],
    ["integrations", "Integrations & API Keys", "Manage"],
    [`integrations?account=${connections.deployment}`, "Integrations & API Keys", "Connected by"],
    ["integrations?connect=deployment", "Integrations & API Keys", "needs the role editor"],
    ["integrations?tab=keys", "Integrations & API Keys", "first key"],
    ["tools", "Tools", "Ask an admin of this project for the role Editor."],
    ["runs", "Runs", "Succeeded"],
    [`runs/${done.run_id}`, "Run", "Status 200"],
    [`runs/${asked.run_id}`, "Run", "Deploy it?"],
    ["inbox", "Inbox", "Deploy it?"],
    ["reports", "Reports", "Running a report is for editors"],
    ["deployments", "Deployments", "Deployments are for editors"],
    ["agents", "Agents", "Ask an admin of this project for the role Editor."],
    ["schedules", "Schedules", "weekday"],
    ["limits", "Limits", "Marketing automation"],
    ["audit", "Audit log", "Ask an admin of the project"],
    ["/organization", "Organization", "Projects"],
    ["/organization?tab=sign-on", "Organization", /Only an owner of the organization/],
  ];
}
