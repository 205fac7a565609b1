import { expect, test } from "vitest";
import { codeAt, stepAt } from "../../../src/identity/second-factor/totp.ts";
import { describeInBrowser, openBrowser } from "../../support/browser/browser.ts";
import { addVirtualAuthenticator, openPage, typeSignIn } from "../../support/browser/pages.ts";
import { goodPassword } from "../../support/sign-in/sign-in.ts";
import { alertOn, sessionCookie, signInAt, startWithOwner } from "./owner.ts";

describeInBrowser("a person who sets up a passkey or a second factor", () => {
  test("adds a passkey, signs in with it without an address, and confirms sensitive changes with it", async () => {
    const { team, context } = await startWithOwner();
    const page = await signInAt(team, context);
    const { session, authenticatorId } = await addVirtualAuthenticator(page);
    await page.getByLabel("Name of the new passkey").fill("My laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.locator("#passkeys").getByText("My laptop").waitFor();
    const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: "localhost" }]);

    await context.clearCookies();
    await page.goto(`${team.site}/sign-in`);
    // Chromium's virtual device answers what the address field offers by itself; a person may press the button.
    await page
      .getByRole("button", { name: "Use a passkey" })
      .click({ timeout: 2000 })
      .catch(() => {});
    await page.waitForURL(`${team.site}/account`);
    const row = page.locator("#sessions li").filter({ hasText: "this one" });
    await row.getByText("passkey").waitFor();

    team.advance(16 * 60);
    await page.getByLabel("What the new key is for").fill("a pipeline");
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog", { name: "Is it still you?" });
    await dialog.waitFor();
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    await page.locator("#new-key").waitFor();
    expect(await page.locator("#new-key-text").textContent()).toMatch(/^sbk_us_/);

    await page.getByRole("button", { name: "Remove the passkey My laptop" }).click();
    const question = page.getByRole("dialog", { name: "Remove the passkey “My laptop”?" });
    await question.getByRole("button", { name: "Remove the passkey" }).click();
    await page.locator("#passkeys li").getByText("removed").waitFor();
    const { body } = await team.call("auth/passkeys/list", {}, { as: team.owner });
    expect(body.results).toEqual([]);
  });

  test("sets up one-time codes: QR code, first code, recovery codes, and then a code at every sign-in", async () => {
    const { team, context } = await startWithOwner();
    const page = await signInAt(team, context);
    await page.getByRole("button", { name: "Set up an app" }).click();
    await page.getByRole("img", { name: /QR code/ }).waitFor();
    const secret = ((await page.locator("#codes-secret").textContent()) ?? "").replaceAll(" ", "");
    // A code counts from one step before its own to one after it: a slow machine is in time.
    const code = () => codeAt(secret, stepAt(team.now()));
    const field = page.getByLabel("The code that it shows now");
    await field.fill(code() === "000000" ? "111111" : "000000");
    await page.getByRole("button", { name: "Turn on" }).click();
    await alertOn(page).getByText("This code is wrong").waitFor();
    await field.fill(code());
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
    const recovery = await page.locator("#recovery-codes li").allTextContents();
    expect(recovery).toHaveLength(10);
    // The code of this step is used; the app shows another one in the next.
    team.advance(30);

    for (const [typed, refused] of [
      [recovery[0] ?? "", false],
      [recovery[0] ?? "", true],
      [code(), false],
    ] as const) {
      const other = await openPage(await openBrowser(), `${team.site}/sign-in`);
      await typeSignIn(other, team.owner.email, goodPassword);
      await other.getByRole("heading", { name: "Enter your code" }).waitFor();
      await expect.poll(() => other.evaluate("document.activeElement.id")).toBe("code");
      await other.keyboard.type(typed);
      await other.keyboard.press("Enter");
      if (refused) await alertOn(other).getByText("was used already").waitFor();
      else await other.getByText("9 of 10 recovery codes are left").waitFor();
    }
  });

  test("can do nothing else before a required second factor is set up", async () => {
    const { team, context } = await startWithOwner();
    await team.call("organizations/update", { second_factor: "required" }, { as: team.owner });
    const page = await openPage(context, `${team.site}/sign-in`);
    await addVirtualAuthenticator(page);
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
    expect(await page.getByRole("heading", { name: "API keys" }).isVisible()).toBe(false);
    const before = (await sessionCookie(context))?.value;
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("your second factor is set up").waitFor();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    const after = (await sessionCookie(context))?.value;
    expect([typeof after, after === before]).toEqual(["string", false]);
  });
});
