import { expect, test } from "vitest";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { startPopUp } from "../support/browser/pop-up.ts";
import { freePorts } from "../support/processes/free-ports.ts";

/** The attack of `consent.test.ts` on a victim with a real browser. */

describeInBrowser("a victim in a real browser", () => {
  /** The program at an address of its own, to which real sandboxes send people back. */
  async function startSite() {
    const port = await freePorts(1);
    const world = await startPopUp("sqlite", "analytics", undefined, `http://127.0.0.1:${port}`);
    await world.team.call("projects/update", { name: "Mallory's project" }, world.team.inProject(world.team.owner));
    await world.team.app.listen({ host: "127.0.0.1", port });
    return world;
  }

  test("sees whose project it is before anything happens, and again at the end", async () => {
    const world = await startSite();
    const begun = await world.connect();
    // The page is of use without scripts, too.
    const victim = await (await openBrowser({ javaScriptEnabled: false })).newPage();
    await victim.goto(begun.connect_url);
    await victim.getByRole("heading", { level: 1, name: "Connect an account" }).waitFor();
    await victim.getByText("Mallory's project").waitFor();
    await victim.getByText(world.team.owner.email).first().waitFor();
    expect(await world.status(begun.connect_id)).toEqual({ state: "pending" });
    await victim.getByRole("link", { name: "Continue to Web analytics" }).click();
    await victim.getByRole("radio").first().check();
    await victim.getByRole("button", { name: "Continue" }).click();
    await victim.getByRole("heading", { level: 1, name: "The account is connected" }).waitFor();
    await victim.getByText("Mallory's project").waitFor();
    await victim.getByText("@analytics-sandbox.example").first().waitFor();
    await victim.getByRole("status").getByText("You can close this window").waitFor();
    expect(await world.status(begun.connect_id)).toMatchObject({ state: "connected" });
  });

  test("who is sent straight to the system's page connects nothing, and sees for whom it would have been", async () => {
    const world = await startSite();
    const begun = await world.connect();
    const led = await world.systemsPage(begun.connect_url);
    const victim = await (await openBrowser()).newPage();
    await victim.goto(led);
    await victim.getByRole("radio").first().check();
    await victim.getByRole("button", { name: "Continue" }).click();
    await victim.getByRole("heading", { level: 1, name: "The account was not connected" }).waitFor();
    await victim.getByRole("alert").getByText("This browser has not opened this sign-in").waitFor();
    await victim.getByText("Mallory's project").waitFor();
    expect(await world.sandbox.requests("/token")).toEqual([]);
    expect(await world.team.store.query("select id from connections")).toEqual([]);
  });

  test("connects nothing if the attacker's page continues by script in its own window", async () => {
    const world = await startSite();
    const begun = await world.connect();
    const led = await world.systemsPage(begun.connect_url);
    const page = await (await openBrowser()).newPage();
    await page.goto(`${world.sandbox.url}/_sandbox`);
    const opened = page.waitForEvent("popup");
    await page.evaluate(`window.other = open(${JSON.stringify(begun.connect_url)}, "w", "popup"); null`);
    const popUp = await opened;
    await popUp.getByRole("heading", { level: 1, name: "Connect an account" }).waitFor();
    await page.evaluate(`window.other.location = ${JSON.stringify(led)}; null`);
    await popUp.getByRole("radio").first().check();
    await popUp.getByRole("button", { name: "Continue" }).click();
    await popUp.getByRole("heading", { level: 1, name: "The account was not connected" }).waitFor();
    expect(await world.sandbox.requests("/token")).toEqual([]);
  });
});
