import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { operatorScope } from "../../src/access/operator.ts";
import { verifyAsOperator } from "../../src/identity/sso/domains.ts";
import { seriousFindingsEverywhere } from "../support/browser/axe.ts";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { openPage, type PageTeam, startPages, typeSignIn } from "../support/browser/pages.ts";
import { entityId, ownCertificate } from "../support/sign-in/saml-provider.ts";
import { givePassword, goodPassword } from "../support/sign-in/sign-in.ts";
import { asRole } from "../support/team.ts";

/** The pages that are there already, looked at closely. */

async function openAccount(team: PageTeam, page: Page): Promise<void> {
  await typeSignIn(page, team.owner.email, goodPassword);
  await page.waitForURL(`${team.site}/account`);
  await page.getByText(team.owner.email).first().waitFor();
}

/** An organization whose domain signs in at a provider called "Acme Okta". */
async function startWithSso(required: boolean): Promise<PageTeam> {
  const team = await startPages();
  await verifyAsOperator(operatorScope(team.store, "us", team.now), team.owner.organizationId, "example.com");
  const provider = {
    kind: "saml",
    label: "Acme Okta",
    entity_id: entityId,
    entry_point: "https://provider.example.com/sso",
    certificates: [ownCertificate().pem],
    required,
  };
  expect((await team.call("single_sign_on/create", provider, { as: team.owner })).status).toBe(200);
  await givePassword(team, team.owner);
  return team;
}

const primaryButtons = (page: Page) => page.locator(".primary").filter({ visible: true });

describeInBrowser("your account", () => {
  /** "Two clicks 300 ms apart revoked two keys for good." */
  test("two quick clicks revoke nothing; a key is revoked after the question, and no row moves", async () => {
    const team = await startPages();
    await givePassword(team, team.owner);
    for (const label of ["one", "two", "three"]) await team.call("auth/keys/create", { label }, { as: team.owner });
    const page = await openPage(await openBrowser(), `${team.site}/sign-in`);
    await page.clock.install();
    await openAccount(team, page);
    const button = page.getByRole("button", { name: "Revoke the key two" });
    await button.scrollIntoViewIfNeeded();
    const rows = page.locator("#keys li .name > :first-child");
    const before = await rows.allTextContents();
    const box = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const statuses = async () =>
      (await team.call("auth/keys/list", {}, { as: team.owner })).body.results
        .filter((key: { status: string }) => key.status === "revoked")
        .map((key: { label: string }) => key.label);
    const question = page.getByRole("dialog", { name: "Revoke the key “two”?" });
    await page.mouse.click(x, y);
    await page.clock.runFor(300);
    // Wherever the pointer is then: on the page behind, or on the answer itself.
    await page.mouse.click(x, y);
    const yes = (await question.getByRole("button", { name: "Revoke the key" }).boundingBox()) ?? box;
    await page.mouse.click(yes.x + yes.width / 2, yes.y + yes.height / 2);
    expect([await question.isVisible(), await statuses()]).toEqual([true, []]);

    await page.clock.runFor(1000);
    await question.getByRole("button", { name: "Revoke the key" }).click();
    await page.locator("#keys li").filter({ hasText: "two" }).getByText("revoked").waitFor();
    expect(await statuses()).toEqual(["two"]);
    expect(await rows.allTextContents()).toEqual(before);
    await page.clock.runFor(300);
    await page.mouse.click(x, y);
    expect([await page.getByRole("dialog").isVisible(), await statuses()]).toEqual([false, ["two"]]);
  });

  test("has a navigation, keeps the password form closed until it is asked for, and keeps times on one line", async () => {
    const team = await startPages();
    await givePassword(team, team.owner);
    const page = await openPage(await openBrowser({ viewport: { width: 390, height: 800 } }), `${team.site}/sign-in`);
    await openAccount(team, page);
    const sections = page.getByRole("navigation", { name: "On this page" }).getByRole("link");
    expect(await sections.allTextContents()).toEqual([
      "Passkeys",
      "One-time codes",
      "Password",
      "Where you are signed in",
      "API keys",
    ]);
    await sections.getByText("API keys").click();
    await page.waitForURL(/#keys-section$/);
    expect(await page.getByLabel("New password", { exact: true }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Change password" }).click();
    expect(await page.evaluate("document.activeElement.id")).toBe("current-password");
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByLabel("New password", { exact: true }).isVisible()).toBe(false);
    const lines = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.list time')].map((time) => time.getClientRects().length)",
    );
    expect([lines.length > 0, lines.filter((count) => count !== 1)]).toEqual([true, []]);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByLabel("Current password", { exact: true }).fill(goodPassword);
    await page.getByLabel("New password", { exact: true }).fill("another lamp on the fourth shelf");
    await page.getByRole("button", { name: "Save the password" }).click();
    await page.getByText("Your password was changed.").waitFor();
  });
});

describeInBrowser("sign-in with single sign-on", () => {
  test("where it is required: one primary button with the provider's label, and no password or passkey", async () => {
    const team = await startWithSso(true);
    const page = await openPage(await openBrowser(), `${team.site}/sign-in?next=/projects`);
    const heading = page.getByRole("heading", { level: 1, name: "Sign in" });
    const before = await heading.boundingBox();
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByRole("button", { name: "Continue with Acme Okta" }).waitFor();
    expect(await primaryButtons(page).allTextContents()).toEqual(["Continue with Acme Okta"]);
    for (const control of [
      page.getByLabel("Password", { exact: true }),
      page.getByRole("button", { name: "Use a passkey" }),
      page.getByRole("link", { name: "Forgot your password?" }),
    ]) {
      expect(await control.isVisible()).toBe(false);
    }
    expect(await heading.boundingBox()).toEqual(before);
    const [request] = await Promise.all([
      page.waitForRequest(/\/sso\/start/),
      page.getByLabel("E-mail").press("Enter"),
    ]);
    expect(new URL(request.url()).searchParams.get("next")).toBe("/projects");
    // An owner still gets in by password, for the day when the provider is away.
    await page.goto(`${team.site}/sign-in`);
    await page.getByLabel("E-mail").fill(team.owner.email);
    await page.getByRole("button", { name: "Sign in as an owner" }).click();
    expect(await primaryButtons(page).allTextContents()).toEqual(["Sign in"]);
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.waitForURL(`${team.site}/account`);
  });

  test("where it is offered: it is the primary button, with room around it, and a password still works", async () => {
    const team = await startWithSso(false);
    const page = await openPage(await openBrowser(), `${team.site}/sign-in`);
    await page.getByLabel("E-mail").fill(team.owner.email);
    const button = page.getByRole("button", { name: "Continue with Acme Okta" });
    await button.waitFor();
    expect(await primaryButtons(page).allTextContents()).toEqual(["Continue with Acme Okta"]);
    const gaps = await page.evaluate<number[]>(`(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      return [box("#sso-button").top - box("#email").bottom, box("#sso-or").top - box("#sso-button").bottom];
    })()`);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(12);
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.waitForURL(`${team.site}/account`);
  });
});

describeInBrowser("every page that the server makes itself", () => {
  test("is axe-clean, wide and narrow, light and dark, and never wider than the screen", async () => {
    const team = await startWithSso(true);
    const page = await openPage(await openBrowser(), `${team.site}/sign-in`);
    const look = async (name: string) => {
      expect([name, await seriousFindingsEverywhere(page)]).toEqual([name, []]);
      const excess = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      expect([name, excess]).toEqual([name, 0]);
    };
    await look("sign-in");
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByRole("button", { name: "Continue with Acme Okta" }).waitFor();
    await look("sign-in with single sign-on");
    for (const path of ["/forgot", "/reset#code", "/sso/start?provider=none", "/latest/documentation"]) {
      await page.goto(`${team.site}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await look(path);
    }
    const wanted = { email: "bob@elsewhere.example", permissions: asRole("editor") };
    const { invite_code } = (await team.call("auth/invite/create", wanted, team.inProject(team.owner))).body;
    await page.goto(`${team.site}/invite#${invite_code}`);
    await page.getByRole("button", { name: "Create an account" }).waitFor();
    await look("/invite");
    await page.goto(`${team.site}/sign-in`);
    await page.getByLabel("E-mail").fill(team.owner.email);
    await page.getByRole("button", { name: "Sign in as an owner" }).click();
    await openAccount(team, page);
    await page.getByRole("button", { name: "Change password" }).click();
    await look("/account");
    await page
      .getByRole("button", { name: /^Revoke the key/ })
      .first()
      .click();
    await look("/account, with a question");
  }, 240_000);
});
