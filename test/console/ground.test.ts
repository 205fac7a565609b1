import { expect, test } from "vitest";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";
import { openPage } from "../support/browser/pages.ts";

describeInBrowser("the console", () => {
  test("signed out, every page leads to /sign-in?next=… and back", async () => {
    const { site, projectId } = await startConsole();
    const page = await openPage(await openBrowser(), `${site}/projects/${projectId}/people?a=b`);
    await page.waitForURL(`${site}/sign-in?next=${encodeURIComponent(`/projects/${projectId}/people?a=b`)}`);
  });

  test("its policy allows no inline script or style and no other host, and its files may be kept for ever", async () => {
    const { app, page, site, projectId } = await startConsole();
    const answer = await page.goto(`${site}/projects/${projectId}/people`);
    const policy = answer?.headers()["content-security-policy"] ?? "";
    expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*style-src 'self' 'nonce-[^']+';/);
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toMatch(/https?:/);
    const script = await page.locator("script[type=module]").getAttribute("src");
    const file = await app.app.inject({ url: script ?? "", headers: { "accept-encoding": "gzip, br" } });
    expect(file.headers).toMatchObject({
      "content-encoding": "br",
      "cache-control": "public, max-age=31536000, immutable",
    });
    const hosts = await page.evaluate(
      "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]",
    );
    expect(hosts).toEqual([site]);
  });

  test("/ leads to the project that was open last, or to the list of projects", async () => {
    const { page, open, site, projectId, call, owner } = await startConsole();
    await call("projects/create", { name: "Another", description: "", organization_id: owner.organizationId });
    await page.goto(`${site}/`);
    await page.waitForURL(`${site}/projects`);
    await open("people");
    await page.goto(`${site}/`);
    await page.waitForURL(`${site}/projects/${projectId}`);
  });

  test("an address below the console's that no page has shows the console's own page, with a way back", async () => {
    const { app, page, site, projectId } = await startConsole();
    const address = `/projects/${projectId}/nothing/here`;
    const answer = await page.goto(`${site}${address}`);
    expect(answer?.status()).toBe(404);
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    await page.getByRole("link", { name: "Go to projects" }).click();
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    const toProgram = await app.app.inject({ url: address, headers: { accept: "application/json" } });
    expect(toProgram.statusCode).toBe(404);
    expect(toProgram.json()).toMatchObject({ code: "route_not_found" });
  });

  // "Ctrl-K reaches every page, project, tool, run id, step and action; every list moves with arrow keys; focus is never lost."
  test("Ctrl-K reaches pages, projects, tools, steps, run ids and what stands on the page; arrow keys move in lists, and no dialog loses the focus", async () => {
    const { page, site, projectId, open, call, owner } = await startConsole();
    const place = { name: "Another place", description: "", organization_id: owner.organizationId };
    const other = (await call("projects/create", place)).body.project_id;
    const step = { name: "pause", step: "wait", input: { seconds: 1 } };
    const tool = (await call("tools/create", { title: "Newest release", steps: [step] })).body.tool_id;
    const menu = page.getByRole("combobox", { name: "Search pages, tools and actions" });
    const focused = (name: string) =>
      expect
        .poll(() =>
          page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"),
        )
        .toBe(name);
    const choose = async (text: string, option: RegExp) => {
      await page.keyboard.press("Control+k");
      await menu.waitFor();
      await page.keyboard.type(text);
      // Enter takes the selected one, which changes while results arrive.
      await page.getByRole("option", { name: option, selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await menu.waitFor({ state: "detached" });
    };
    await open("people");
    await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
    await choose("create a service", /^Create a service user.*Action/);
    await page.getByRole("dialog", { name: "Create a service user" }).getByLabel("Name").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Invite a person" }).press("Enter");
    await page.getByRole("dialog", { name: "Invite a person" }).getByLabel("E-mail").waitFor();
    await page.keyboard.press("Escape");
    await focused("Invite a person");
    await page.getByRole("link", { name: "Home", exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await focused("Inbox");
    await choose("all projects", /^Projects/);
    await page.waitForURL(`${site}/projects`);
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    await focused("Projects");
    await page.goBack();
    await page.waitForURL(`${site}/projects/${projectId}/people`);

    await open("/organization");
    await choose("run_us_0000000000000001", /^run_us_0000000000000001/);
    await page.waitForURL(`${site}/projects/${projectId}/runs/run_us_0000000000000001`);
    await choose("legal hold", /^Retention.*Organization/);
    await page.waitForURL(`${site}/organization?tab=retention`);
    await choose("another place", /^Another place.*Project/);
    await page.waitForURL(`${site}/projects/${other}`);
    await choose("a project", /^A project.*Project/);
    await page.waitForURL(`${site}/projects/${projectId}`);
    await choose("newest release", /^Newest release.*Tool/);
    await page.waitForURL(`${site}/projects/${projectId}/tools/${tool}`);
    await choose("cancel deploy", /^Cancel Deployment.*Step/);
    await page.getByRole("listitem", { name: "Step 1: Cancel Deployment" }).waitFor();
    await open("audit");
    await choose("verify the log", /^Verify the log.*On this page/);
    await page.getByText(/matches the one before it/).waitFor();
  });

  test("a project is made, and its page opens", async () => {
    const { page, open, call } = await startConsole();
    await open("/projects");
    await page.getByRole("button", { name: "Create a project" }).first().click();
    await page.getByLabel("Name").fill("Straße 東京");
    await page.getByRole("button", { name: "Create the project" }).click();
    await page.waitForURL(/\/projects\/prj_us_/);
    const { body } = await call("projects/list");
    expect(body.results.map(({ name }: { name: string }) => name)).toContain("Straße 東京");
  });
});
