import type { Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { openPage, typeSignIn } from "../support/browser/pages.ts";
import { givePassword, goodPassword } from "../support/sign-in/sign-in.ts";
import { asRole } from "../support/team.ts";

const lost = "The server cannot be reached. What you see may be old.";

describeInBrowser("bad days in the browser", () => {
  test("a lost answer, a lost network, a restarted server and an ended session lose nothing and do nothing twice", async () => {
    const world = await startConsole();
    const { page, open, site, projectId, call, app } = world;
    // The pauses between attempts are random; here they are short, so that the page soon gives up.
    await page.addInitScript("const { random } = Math; Math.random = () => random() / 100");
    const invited = async (): Promise<string[]> =>
      (await call("auth/invite/list")).body.results.map(({ email }: { email: string }) => email).sort();

    // "Network lost and back (the page says so, retries reads, never repeats a write without its idempotency key)".
    await open("people?invite=1");
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    await dialog.getByLabel("E-mail").fill("once@example.org");
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (isInvite(request)) keys.push(request.headers()["idempotency-key"]);
    });
    await page.route(
      "**/latest/auth/invite/create",
      async (route) => {
        // The server has done it, and the network goes before its answer arrives.
        await route.fetch();
        await page.context().setOffline(true);
        await route.abort("internetdisconnected");
      },
      { times: 1 },
    );
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText(lost).waitFor();
    await dialog.getByText("Check the network connection and the address, then try again.").waitFor();
    await call("auth/invite/create", { email: "meanwhile@example.org", permissions: asRole("viewer") });
    await page.context().setOffline(false);
    await page.getByText(lost).waitFor({ state: "detached" });
    await page.getByText("meanwhile@example.org").waitFor();
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("The invite was created.").waitFor();
    expect(keys.length).toBeGreaterThan(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBeTruthy();
    expect(await invited()).toEqual(["meanwhile@example.org", "once@example.org"]);
    // A page that asks nothing says so too, as soon as the browser knows.
    await page.context().setOffline(true);
    await page.getByText(lost).waitFor();
    await page.context().setOffline(false);
    await page.getByText(lost).waitFor({ state: "detached" });

    // "Server restarted during a run view".
    const runId = await askedRun(world, projectId, "Ship it on Friday?");
    await open(`runs/${runId}`);
    await page.getByText("Ship it on Friday?").first().waitFor();
    const next = await world.another();
    app.app.server.closeAllConnections();
    await app.app.close();
    await page.getByText(lost).waitFor();
    await page.getByText("Ship it on Friday?").first().waitFor();
    await next.app.listen({ host: "127.0.0.1", port: Number(new URL(site).port) });
    await page.getByText(lost).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve and send" }).click();
    await page.getByText("Succeeded").first().waitFor();

    // "Session ended": to the sign-in, and back to the same address with what was typed.
    await open("people?invite=1");
    await dialog.getByLabel("E-mail").fill("kept@example.org");
    const { owner } = world;
    const { body: sessions } = await next.call("auth/sessions/list", {}, { as: owner });
    expect(sessions.results).not.toEqual([]);
    await page.route(
      "**/latest/auth/invite/create",
      async (route) => {
        for (const { session_id } of sessions.results) {
          await next.call("auth/sessions/revoke", { session_id }, { as: owner });
        }
        await route.continue();
      },
      { times: 1 },
    );
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    const here = `/projects/${projectId}/people?invite=1`;
    await page.waitForURL(`${site}/sign-in?next=${encodeURIComponent(here)}`);
    await typeSignIn(page, owner.email, goodPassword);
    await page.waitForURL(`${site}${here}`);
    await expect.poll(() => dialog.getByLabel("E-mail").inputValue()).toBe("kept@example.org");
    const { body: after } = await next.call("auth/invite/list", {}, { as: owner, project: projectId });
    expect(after.results).toHaveLength(2);
  });

  test('"two tabs in two projects": neither shows what is the other\'s, nor does the next person see what the last one left', async () => {
    const world = await startConsole();
    const { page, open, site, projectId, call, app, owner } = world;
    const beta = await app.project(owner, "Beta");
    const bea = await app.person("bea@example.org", owner);
    await givePassword(app, bea);
    const inBeta = { as: owner, project: beta };
    await app.call("auth/invite/create", { email: bea.email, permissions: asRole("admin") }, inBeta);
    await askedRun(world, projectId, "Ship alpha?");
    await askedRun(world, beta, "Ship beta?");
    const other = await openPage(page.context(), `${site}/projects/${beta}/tools`);
    await open("tools");
    await page.getByRole("table", { name: "Tools" }).getByText("Ship alpha?").waitFor();
    await other.getByRole("table", { name: "Tools" }).getByText("Ship beta?").waitFor();
    expect([await textOf(page), await textOf(other)]).toEqual([
      expect.not.stringContaining("beta"),
      expect.not.stringContaining("alpha"),
    ]);

    // From one project to the other while nothing of the other is known yet.
    await open();
    await page.getByRole("region", { name: "Waiting for a person" }).getByText("Ship alpha?").first().waitFor();
    const release = await holdCalls(page, beta);
    await switchTo(page, "Beta");
    await page.waitForURL(`${site}/projects/${beta}`);
    // The page is drawn a moment after its address has changed; then nothing comes, as its calls are held.
    await expect.poll(() => textOf(page)).not.toContain("alpha");
    expect(await page.getByLabel("1 waiting").count()).toBe(0);
    await release();
    await page.getByRole("region", { name: "Waiting for a person" }).getByText("Ship beta?").first().waitFor();
    expect(await textOf(page)).not.toContain("alpha");
    // A question about a record of one project does not stay open in the other.
    await open("tools");
    await page.getByRole("table", { name: "Tools" }).getByText("Ship alpha?").waitFor();
    await switchTo(page, "Beta");
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    await page.getByRole("button", { name: "Delete Ship beta?" }).click();
    await page.getByRole("dialog").getByText("Ship beta?").first().waitFor();
    await page.evaluate("history.go(-2)");
    await page.waitForURL(`${site}/projects/${projectId}/tools`);
    await page.getByText("Ship alpha?").first().waitFor();
    await expect.poll(() => textOf(page)).not.toContain("beta");

    // Another person signs in: the tab that was left open follows, and a draft stays its author's.
    await page.goto(`${site}/projects/${beta}/people?invite=1`);
    const email = page.getByRole("dialog", { name: "Invite a person" }).getByLabel("E-mail");
    await email.fill("secret@example.org");
    await other.goto(`${site}/projects/${projectId}/tools`);
    await other.getByRole("table", { name: "Tools" }).getByText("Ship alpha?").waitFor();
    await page.keyboard.press("Escape");
    await page.route("**/latest/auth/sign_out", (route) => route.fulfill({ status: 403, body: "{}" }), { times: 1 });
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    const stillIn = page.getByRole("alert").filter({ hasText: "You are still signed in" });
    await stillIn.getByRole("button", { name: "Try again" }).click();
    await page.waitForURL(/\/sign-in\?next=/);
    await other.waitForURL(/\/sign-in\?next=/);
    await typeSignIn(page, bea.email, goodPassword);
    await page.waitForURL(`${site}/projects/${beta}`);
    await other.goto(`${site}/projects/${projectId}/runs`);
    await other.getByRole("alert").first().waitFor();
    expect(await textOf(other)).not.toMatch(/alpha/);
    await page.goto(`${site}/projects/${beta}/people?invite=1`);
    await email.waitFor();
    await page.getByRole("table", { name: "Members", includeHidden: true }).getByText(bea.email).waitFor();
    expect(await email.inputValue()).toBe("");
    expect((await call("auth/invite/list")).body.results).toEqual([]);
  });

  test("a role taken away, a double click, names in any script, and ids that do not exist", async () => {
    const world = await startConsole();
    const { page, open, site, projectId, call, app, owner } = world;
    // "Double click", and "names in any script and right to left".
    const name = "مشروع الربيع 🚀 פרויקט";
    await open("/projects");
    await page.getByRole("button", { name: "Create a project" }).first().click();
    await page.getByLabel("Name").fill(name);
    const release = await holdCalls(page, null);
    await page.getByRole("button", { name: "Create the project" }).dblclick();
    await release();
    await page.waitForURL(/\/projects\/prj_us_/);
    const made = new URL(page.url()).pathname.split("/")[2] ?? "";
    const { body: projects } = await call("projects/list");
    expect(projects.results.filter((project: { name: string }) => project.name === name)).toHaveLength(1);
    await expectWhole(page, name, 2);
    const title = "دعوة 👩‍💻 שלום";
    await askedRun(world, made, title);
    await page.goto(`${site}/projects/${made}/tools`);
    await page.getByRole("row").getByText(title).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await expectWhole(page, title, 1);
    await page.getByRole("button", { name: "Run the tool" }).waitFor();
    const releaseRun = await holdCalls(page, made);
    await page.getByRole("button", { name: "Run the tool" }).dblclick();
    await releaseRun();
    await page.waitForURL(/run=run_us_/);
    const { body: runs } = await app.call("runs/list", {}, { as: owner, project: made });
    expect(runs.results).toHaveLength(2);

    // "An id that does not exist": a sentence, a remedy and a way on.
    for (const [address, way] of [
      ["tools/tol_us_nothing", "All tools"],
      ["agents/agt_us_nothing", "All agents"],
      ["runs/run_us_nothing", "All runs"],
    ] as const) {
      await open(address);
      expect(sentences(await page.getByRole("alert").innerText())).toBeGreaterThan(1);
      await page.getByRole("link", { name: way }).click();
      await page.getByRole("link", { name: way }).waitFor({ state: "detached" });
    }
    await open("integrations?account=con_us_nothing");
    const drawer = page.getByRole("dialog");
    expect(sentences(await drawer.getByRole("alert").innerText())).toBeGreaterThan(1);
    await drawer.getByRole("button", { name: "Close" }).click();
    await drawer.waitFor({ state: "detached" });
    await open("/projects/prj_us_nothing/runs");
    expect(sentences(await page.getByRole("alert").first().innerText())).toBeGreaterThan(1);

    // "A role taken away while a form is open".
    const bea = await app.person("bea@example.org", owner);
    await givePassword(app, bea);
    await call("auth/invite/create", { email: bea.email, permissions: asRole("admin") });
    await page.context().clearCookies();
    await page.goto(`${site}/projects/${projectId}/people?invite=1`);
    await typeSignIn(page, bea.email, goodPassword);
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    await dialog.getByLabel("E-mail").fill("nobody@example.org");
    await call(`auth/users/${bea.userId}/update`, { permissions: asRole("viewer") });
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    expect(sentences(await dialog.getByRole("alert").innerText())).toBeGreaterThan(1);
    await dialog.getByRole("link", { name: "See who is an admin" }).waitFor();
    const { body: invites } = await call("auth/invite/list");
    expect(invites.results.map(({ email }: { email: string }) => email)).not.toContain("nobody@example.org");
  });
});

const isInvite = (request: Request): boolean => request.url().endsWith("/latest/auth/invite/create");

const textOf = (page: Page): Promise<string> => page.evaluate<string>("document.body.innerText");

const sentences = (text: string): number => text.split(/[.!?](?:\s|$)/).filter((part) => part.trim() !== "").length;

async function switchTo(page: Page, project: string): Promise<void> {
  await page.getByRole("button", { name: /Change the project/ }).click();
  await page.getByRole("menuitem", { name: project, exact: true }).click();
}

/** A tool with this title whose run waits for a person, who is asked the same. */
async function askedRun({ app, owner }: ConsoleWorld, project: string, title: string): Promise<string> {
  const as = { as: owner, project };
  const steps = [{ name: "ask", step: "approve", input: { message: title } }];
  const { body: tool } = await app.call("tools/create", { title, params_schema: { type: "object" }, steps }, as);
  const { body: run } = await app.call(`tools/${tool.tool_id}/trigger_async`, { params: {} }, as);
  await expect.poll(async () => (await app.call(`runs/${run.run_id}/get`, {}, as)).body.status).toBe("waiting");
  return run.run_id;
}

/** Keeps every call of the page for this project waiting until it is released. */
async function holdCalls(page: Page, project: string | null): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/latest/**", async (route) => {
    if ((route.request().headers()["x-signalbox-project"] ?? null) === project) await promise;
    await route.fallback();
  });
  return async () => {
    resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
}

/** The name is shown so often, each time in the direction of its own first letter and not cut. */
async function expectWhole(page: Page, name: string, times: number): Promise<void> {
  const shown = page.locator("#main, nav").getByText(name, { exact: true });
  await expect.poll(() => shown.count()).toBeGreaterThanOrEqual(times);
  for (const place of await shown.all()) {
    const seen = await place.evaluate((element) => ({
      isRightToLeft: element.matches(":dir(rtl)"),
      isCut: element.scrollWidth > element.clientWidth + 1,
    }));
    expect(seen).toEqual({ isRightToLeft: true, isCut: false });
  }
}
