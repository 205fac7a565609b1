import { expect, test } from "vitest";
import { contentOf } from "../../src/access/mails/mail-texts.ts";
import { describeInBrowser } from "../support/browser/browser.ts";
import { openPage, typeSignIn } from "../support/browser/pages.ts";
import { givePassword, goodPassword, lastMail } from "../support/sign-in/sign-in.ts";
import { alertOn, sessionCookie, startWithOwner } from "./sign-in/owner.ts";

/** "Sign-in pages, plain and accessible, served by the server": people in a real browser, in front of a real port. */

describeInBrowser("a person signs in", () => {
  test("with address and password: the browser keeps the __Host- cookie on http://localhost, and no script can read it", async () => {
    const { team, context } = await startWithOwner();
    // The number leads to the name: "pages on localhost where the name matters (passkeys)".
    const page = await openPage(context, `http://127.0.0.1:${team.port}/sign-in`);
    expect(page.url()).toBe(`${team.site}/sign-in`);
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("email");
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.waitForURL(`${team.site}/account`);
    await page.getByText(team.owner.email).first().waitFor();
    expect(await sessionCookie(context)).toMatchObject({
      domain: "localhost",
      path: "/",
      httpOnly: true,
      secure: true,
      sameSite: "Lax",
    });
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${team.site}/sign-in`);
    expect(await sessionCookie(context)).toBeUndefined();
    await page.goto(`${team.site}/account`);
    await page.waitForURL(`${team.site}/sign-in?next=/account`);
  });

  test("with the keyboard alone", async () => {
    const { team, context } = await startWithOwner();
    const page = await openPage(context, `${team.site}/sign-in`);
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("email");
    await page.keyboard.type(team.owner.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(goodPassword);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${team.site}/account`);
  });

  test("and a screen reader announces errors, the same for a wrong password and an unknown address", async () => {
    const { team, context } = await startWithOwner();
    const page = await openPage(context, `${team.site}/sign-in`);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const email = page.getByLabel("E-mail");
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator("#email-error").textContent()).toBe("Please fill this in.");
    const texts: (string | null)[] = [];
    for (const address of [team.owner.email, "nobody@example.com"]) {
      await typeSignIn(page, address, "not the password at all");
      await alertOn(page).waitFor();
      texts.push(await alertOn(page).textContent());
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("message");
    }
    expect(texts[0]).toContain("is wrong");
    expect(texts[1]).toBe(texts[0]);
    expect(await sessionCookie(context)).toBeUndefined();
  });

  test("and returns to the page they came from, never to another site", async () => {
    const { team, context } = await startWithOwner();
    const page = await openPage(context, `${team.site}/sign-in?next=/latest/documentation/errors`);
    const evil = ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "", "account"];
    const leads = await page.evaluate<string[]>(`import("/sign-in/script/call.js").then(({ nextPlace }) =>
      ${JSON.stringify(evil)}.map((next) => {
        history.replaceState(null, "", "?next=" + encodeURIComponent(next));
        return nextPlace();
      }))`);
    expect(leads).toEqual(evil.map(() => "/account"));
    await page.goto(`${team.site}/sign-in?next=/latest/documentation/errors`);
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.waitForURL(`${team.site}/latest/documentation/errors`);
  });

  test("and the documentation then shows their own ids, finds what they look for, and keeps their language", async () => {
    const { team, context } = await startWithOwner();
    const inProject = { as: team.owner, project: team.projectId };
    const steps = [{ name: "rest", step: "wait", input: { seconds: 0 } }];
    const { body: tool } = await team.call("tools/create", { title: "Rest", steps }, inProject);
    const { body: run } = await team.call(`tools/${tool.tool_id}/trigger_async`, {}, inProject);
    const page = await openPage(context, `${team.site}/sign-in?next=/latest/documentation/reference/runs`);
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.getByText(run.run_id).first().waitFor();
    await page.goto(`${team.site}/latest/documentation`);
    await page.getByRole("combobox", { name: "Search the documentation" }).fill("change role person");
    await page.getByRole("option", { name: /Change a person's role/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${team.site}/latest/documentation/reference/users#auth-users-user_id-update`);
    const operation = page.locator("article").filter({ hasText: "/latest/auth/users/{user_id}/update" });
    // "Ids of the reader's own first run filled in when signed in"; the key stays a placeholder.
    await operation.getByText(team.projectId).first().waitFor();
    await operation.getByText("<api_key>").first().waitFor();
    await operation.getByRole("button", { name: "TypeScript", exact: true }).click();
    await operation.getByText("signalbox.users.update").waitFor();
    const scrolled = () => page.evaluate<number>("document.querySelector('.side').scrollTop");
    await page.getByRole("link", { name: "Invites", exact: true }).scrollIntoViewIfNeeded();
    const before = await scrolled();
    await page.getByRole("link", { name: "Invites", exact: true }).click();
    await page.getByText("signalbox.invites.create").waitFor();
    // "The place kept in the sidebar."
    expect(before).toBeGreaterThan(0);
    await expect.poll(scrolled).toBe(before);
    expect(await page.getByRole("link", { name: "Invites", exact: true }).getAttribute("aria-current")).toBe("page");
    await page.getByRole("button", { name: "Copy TypeScript" }).first().click();
    await page
      .getByRole("button", { name: "Copy TypeScript" })
      .getByText(/Copied|Ctrl/)
      .waitFor();
  });

  test("and chooses the organization if two have an account with the address", async () => {
    const { team, context } = await startWithOwner();
    const there = await team.person(team.owner.email);
    await givePassword(team, there);
    await team.call("organizations/update", { name: "The other house" }, { as: there });
    const page = await openPage(context, `${team.site}/sign-in`);
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.getByRole("heading", { name: "Choose an organization" }).waitFor();
    await page.getByRole("button", { name: "The other house" }).click();
    await page.waitForURL(`${team.site}/account`);
    await page.getByText("The other house").waitFor();
  });

  test("after a forgotten password, by the link in a mail", async () => {
    const { team, context } = await startWithOwner();
    const page = await openPage(context, `${team.site}/sign-in`);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("E-mail").fill(team.owner.email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByRole("heading", { name: "Check your e-mail" }).waitFor();
    const mail = await lastMail(team, "password_reset");
    const [link = ""] = /http\S+/.exec(contentOf(mail, team.site).text) ?? [];
    await page.goto(link);
    // From here on the token is nowhere in the address.
    expect(page.url()).toBe(`${team.site}/reset`);
    // The form says whose password it is, for password managers.
    expect(await page.locator("#username").inputValue()).toBe(team.owner.email);
    const field = page.getByLabel("New password", { exact: true });
    await field.fill("passwordpassword");
    await page.getByRole("button", { name: "Save the password" }).click();
    await page.getByText("one of the most common passwords").waitFor();
    await field.fill("another lamp on the fourth shelf");
    await page.getByRole("button", { name: "Save the password" }).click();
    await page.getByRole("link", { name: "Sign in" }).click();
    await typeSignIn(page, team.owner.email, "another lamp on the fourth shelf");
    await page.waitForURL(`${team.site}/account`);
    expect(team.logged.join("")).not.toContain(mail.details.token);
  });
});
