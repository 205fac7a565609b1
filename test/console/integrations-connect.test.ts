import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { freePort } from "../support/processes/free-ports.ts";

type Listed = { connection_id: string; label: string; state: string; access_level: string | null };

const accountsOf = async ({ call }: ConsoleWorld, system: string): Promise<Listed[]> =>
  (await call("connections/list", { system })).body.results;

/** Opens the dialog as the address does, chooses the sandbox, and goes on to the system's own page in the pop-up. */
async function beginSignIn({ page, open }: ConsoleWorld, system: string): Promise<Page> {
  await open(`integrations?connect=${system}`);
  await page.getByRole("radio", { name: "Sandbox" }).check();
  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: /^Sign in at/ }).click();
  const popUp = await opened;
  await popUp.getByRole("link", { name: /^Continue to/ }).click();
  return popUp;
}

const dialogOf = (page: Page) => page.getByRole("dialog");

describeInBrowser("connect an account", () => {
  // "A user signs in through an OAuth pop-up on the Integrations page and grants permissions."
  test("of the deployment platform in a pop-up, found from the command menu's address", async () => {
    const world = await startConsole();
    const { page, open } = world;
    await open("integrations?connect=1");
    await dialogOf(page)
      .getByRole("button", { name: /^Deployment platform/ })
      .click();
    await page.getByRole("radio", { name: "Sandbox" }).check();
    // "The connect dialog links to them."
    const guide = dialogOf(page).getByRole("link", { name: /^How to connect Vercel, step by step/ });
    const shown = await page.context().request.get(new URL((await guide.getAttribute("href")) ?? "", page.url()).href);
    expect([shown.status(), await shown.text()]).toEqual([200, expect.stringContaining("Connect Vercel")]);
    await dialogOf(page).getByText("manage deployments, access project information and read deployment logs").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Release team");
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Sign in at Deployment platform" }).click();
    const popUp = await opened;
    await popUp.getByRole("link", { name: /^Continue to/ }).click();
    await popUp.getByRole("button", { name: "Install" }).click();
    await dialogOf(page).getByText("The account is connected").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("table", { name: "Accounts of Deployment platform" }).getByText("Release team").waitFor();
    expect(await accountsOf(world, "deployment")).toContainEqual(
      expect.objectContaining({ label: "Release team", state: "connected", way_in: "oauth" }),
    );
    expect(page.url()).not.toContain("connect=");
  });

  // As on a server with one name: in the other tests the consent starts at 127.0.0.1, where the browser has no session.
  test("goes straight to the system's page from the console, and to our page first from another site", async () => {
    const port = await freePort();
    const world = await startConsole({}, { port, baseUrl: `http://localhost:${port}` });
    const { page, open, sandboxes } = world;
    await open("integrations?connect=deployment");
    await page.getByRole("radio", { name: "Sandbox" }).check();
    const answered = page.waitForResponse((response) => response.url().endsWith("/latest/connections/connect"));
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: /^Sign in at/ }).click();
    const popUp = await opened;
    await popUp.getByRole("button", { name: "Install" }).waitFor();
    const { connect_url } = await (await answered).json();
    const stranger = await page.context().newPage();
    await stranger.goto(`${sandboxes.deployment.url}/_sandbox`);
    await stranger.evaluate(`location.assign(${JSON.stringify(connect_url)})`);
    await stranger.getByRole("heading", { level: 1, name: "Connect an account" }).waitFor();
    await popUp.getByRole("button", { name: "Install" }).click();
    await dialogOf(page).getByText("The account is connected").waitFor();
    expect(await accountsOf(world, "deployment")).toHaveLength(2);
  });

  // "A user connects through an OAuth flow once per account. Several accounts can be connected".
  test("of web analytics: refused first, the reason is shown; then a second account with its access level", async () => {
    const world = await startConsole();
    const { page } = world;
    await world.open("integrations?connect=analytics");
    // "Pasted credentials with inline help where to find them at the vendor."
    await page.getByRole("radio", { name: "Paste a service account's key file" }).check();
    const help = await dialogOf(page).getByRole("listitem").allTextContents();
    for (const words of [/enable .* Data API .* Admin API/, /Create new key › JSON/, /Account access management/]) {
      expect(help).toContainEqual(expect.stringMatching(words));
    }
    await page.getByRole("radio", { name: /in a pop-up$/ }).check();
    const refusing = await beginSignIn(world, "analytics");
    await refusing.getByRole("button", { name: "Cancel" }).click();
    await dialogOf(page).getByRole("alert").waitFor();
    expect(await dialogOf(page).getByRole("alert").innerText()).toMatch(/denied|refused|declined|not given/i);
    expect(await accountsOf(world, "analytics")).toHaveLength(1);
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: /^Sign in at/ }).click();
    const popUp = await opened;
    await popUp.getByRole("link", { name: /^Continue to/ }).click();
    await popUp
      .getByRole("radio", { name: /viewer/i })
      .first()
      .check();
    await popUp.getByRole("button", { name: "Continue" }).click();
    await dialogOf(page).getByText("Viewer. Can query reports.").waitFor();
    expect((await accountsOf(world, "analytics")).map(({ access_level }) => access_level).sort()).toEqual([
      "administrator",
      "viewer",
    ]);
  });

  test("the window is slow, then closed too early: the page says so, and notices that the sign-in went on elsewhere", async () => {
    const world = await startConsole();
    const { page } = world;
    await page.clock.install();
    const popUp = await beginSignIn(world, "deployment");
    await popUp.getByRole("button", { name: "Install" }).waitFor();
    await page.clock.fastForward(21_000);
    await dialogOf(page).getByText("This takes longer than usual.").waitFor();
    await dialogOf(page).getByRole("button", { name: "Show the window" }).click();
    const address = popUp.url();
    await popUp.close();
    await dialogOf(page).getByText("The window is closed").waitFor();
    // Another window of the same browser: no opener, so nothing but the server can report the end.
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(address);
    await elsewhere.getByRole("button", { name: "Install" }).click();
    await elsewhere.getByRole("heading", { name: "The account is connected" }).waitFor();
    await page.bringToFront();
    await dialogOf(page).getByText("The account is connected").waitFor();
    expect(await accountsOf(world, "deployment")).toHaveLength(2);
  });

  test("the browser blocks the window: a link opens the page instead", async () => {
    const world = await startConsole();
    const { page, open } = world;
    await page.addInitScript("window.open = () => null");
    await open("integrations?connect=deployment");
    await page.getByRole("radio", { name: "Sandbox" }).check();
    await page.getByRole("button", { name: /^Sign in at/ }).click();
    await dialogOf(page).getByText("Your browser blocked the window").waitFor();
    const opened = page.waitForEvent("popup");
    await dialogOf(page).getByRole("link", { name: "Open the sign-in page" }).click();
    const popUp = await opened;
    await popUp.getByRole("link", { name: /^Continue to/ }).click();
    await popUp.getByRole("button", { name: "Install" }).click();
    await dialogOf(page).getByText("The account is connected").waitFor();
  });

  // "The scheme is 2-legged OAuth 2.0 with a Client ID, a Client Secret and a REST API Endpoint."
  test("of marketing automation with pasted credentials: wrong ones are refused beside help, right ones connect, with the subscription's calls a day", async () => {
    const world = await startConsole();
    const { page, open, sandboxes } = world;
    const { client_id, client_secret } = sandboxes.marketing.credentials;
    await open("integrations?connect=marketing");
    await dialogOf(page).getByLabel("REST API Endpoint").waitFor();
    await dialogOf(page).getByText("API-only user").waitFor();
    await page.getByRole("radio", { name: "Sandbox" }).check();
    await page.getByRole("radio", { name: "Paste credentials" }).check();
    await page.getByLabel("Client ID").fill(client_id);
    await page.getByLabel("Client Secret").fill("wrong");
    // "Daily quota varies by subscription."
    await page.getByLabel("Calls a day (optional)").fill("50000");
    await page.getByRole("button", { name: "Connect the account" }).click();
    await dialogOf(page).getByRole("alert").waitFor();
    await page.getByLabel("Client Secret").fill(client_secret);
    await page.getByRole("button", { name: "Connect the account" }).click();
    await dialogOf(page).getByText("The account is connected").waitFor();
    expect(await accountsOf(world, "marketing")).toHaveLength(2);
    const kept = await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })");
    expect(kept).not.toContain(client_secret);
    const [, made] = await accountsOf(world, "marketing");
    const quota = async () => (await world.call(`connections/${made?.connection_id}/get`)).body.settings;
    expect(await quota()).toEqual({ daily_quota: 50_000 });
    // "Reload in the middle of a form (drafts kept)."
    await open(`integrations?account=${made?.connection_id}`);
    const limits = page.getByRole("region", { name: "Limits" });
    await limits.getByRole("textbox", { name: "Calls a day" }).fill("60000");
    await page.reload();
    await limits.getByText("Not saved yet.").waitFor();
    expect(await quota()).toEqual({ daily_quota: 50_000 });
    await limits.getByRole("button", { name: "Save the limits" }).click();
    await limits.getByText("Saved.").waitFor();
    expect(await quota()).toEqual({ daily_quota: 60_000 });
  });
});
