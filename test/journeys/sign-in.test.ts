import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { contentOf } from "../../src/access/mails/contents.ts";
import { codeAt, stepAt } from "../../src/identity/second-factor/totp.ts";
import { describeInBrowser, openBrowser } from "../support/browser.ts";
import { addVirtualAuthenticator, openPage, type PageTeam, startPages, typeSignIn } from "../support/pages.ts";
import { givePassword, goodPassword, lastMail } from "../support/sign-in.ts";
import { cleanUpLater } from "../support/stores.ts";
import { asRole } from "../support/team.ts";

/** "Sign-in pages, plain and accessible, served by the server": people in a real browser, in front of a real port. */

async function startWithOwner(): Promise<{ team: PageTeam; context: BrowserContext }> {
  const team = await startPages();
  await givePassword(team, team.owner);
  return { team, context: await openBrowser() };
}

const sessionCookie = async (context: BrowserContext) =>
  (await context.cookies()).find(({ name }) => name === "__Host-sb_session_us");

async function signInAt(team: PageTeam, context: BrowserContext, email = team.owner.email): Promise<Page> {
  const page = await openPage(context, `${team.site}/sign-in`);
  await typeSignIn(page, email, goodPassword);
  await page.waitForURL(`${team.site}/account`);
  await page.getByText(email).first().waitFor();
  return page;
}

const alertOn = (page: Page) => page.getByRole("alert").filter({ visible: true });

describeInBrowser("a person signs in", () => {
  test("with address and password: the browser keeps the __Host- cookie on http://localhost, and no script can read it", async () => {
    const { team, context } = await startWithOwner();
    // The number leads to the name: "pages on localhost where the name matters (passkeys)".
    const page = await openPage(context, `http://127.0.0.1:${team.port}/sign-in`);
    expect(page.url()).toBe(`${team.site}/sign-in`);
    await page.waitForFunction("document.activeElement.id === 'email'");
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
    await page.waitForFunction("document.activeElement.id === 'email'");
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
      await page.waitForFunction("document.activeElement.id === 'message'");
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
    const page = await openPage(context, `${team.site}/sign-in?next=/latest/documentation`);
    await typeSignIn(page, team.owner.email, goodPassword);
    await page.waitForURL(`${team.site}/latest/documentation`);
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
    await page.getByRole("link", { name: "Invites", exact: true }).click();
    await page.getByText("signalbox.invites.create").waitFor();
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
    // Password managers are told whose password it is.
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
      await other.waitForFunction("document.activeElement.id === 'code'");
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

describeInBrowser("an invited person", () => {
  async function invite(team: PageTeam, email: string): Promise<string> {
    const wanted = { email, permissions: asRole("editor") };
    return (await team.call("auth/invite/create", wanted, team.inProject(team.owner))).body.invite_code;
  }

  test("opens the link, signs up, types the code from the mail, and is in", async () => {
    const { team, context } = await startWithOwner();
    const code = await invite(team, "ada@example.com");
    const page = await openPage(context, `${team.site}/invite#${code}`);
    expect(page.url()).toBe(`${team.site}/invite`);
    // "Role, project name, who invites and until when are shown."
    await page.getByRole("heading", { level: 1, name: "Invitation" }).waitFor();
    const [{ expires_at }] = (await team.call("auth/invite/list", {}, team.inProject(team.owner))).body.results;
    const facts = page.locator("#facts");
    await facts.getByText("A project", { exact: true }).waitFor();
    for (const text of ["Editor", team.owner.email]) expect(await facts.textContent()).toContain(text);
    expect(await facts.locator("time").getAttribute("datetime")).toBe(expires_at);
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByRole("heading", { name: "What's your name?" }).waitFor();
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Password", { exact: true }).fill(goodPassword);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Check your e-mail" }).waitFor();
    const mailed = (await lastMail(team, "sign_up_code")).details.code ?? "";
    const field = page.getByLabel("Code from the e-mail");
    await field.fill(mailed === "00000000" ? "11111111" : "00000000");
    await page.getByRole("button", { name: "Join" }).click();
    // "The wrong mailed code gets its own words": nothing about an app, and where the right one is.
    await alertOn(page).getByText("This is not the code that we sent.").waitFor();
    expect(await alertOn(page).textContent()).toContain("newest e-mail");
    await field.fill(`${mailed.slice(0, 4)} ${mailed.slice(4)}`);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("heading", { name: "You're in" }).waitFor();
    // The console opens, and its account menu leads to the account.
    await page.getByRole("link", { name: "Continue" }).click();
    await page.waitForURL(`${team.site}/projects/${team.projectId}`);
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Your account" }).click();
    await page.getByText("ada@example.com").first().waitFor();
    await page.getByRole("link", { name: "Console", exact: true }).click();
    await page.waitForURL(`${team.site}/projects/${team.projectId}`);
    const { body } = await team.call("auth/users/list", {}, team.inProject(team.owner));
    expect(body.results).toContainEqual(expect.objectContaining({ email: "ada@example.com", role: "editor" }));
    // "Never put the code in logs."
    expect(team.logged.join("")).not.toContain(code);
  });

  test("can use a passkey instead of a password", async () => {
    const { team, context } = await startWithOwner();
    const page = await openPage(context, `${team.site}/invite#${await invite(team, "ada@example.com")}`);
    await addVirtualAuthenticator(page);
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Use a passkey instead of a password").check();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Check your e-mail" }).waitFor();
    await page.getByLabel("Code from the e-mail").fill((await lastMail(team, "sign_up_code")).details.code ?? "");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("heading", { name: "You're in" }).waitFor();
    await page.goto(`${team.site}/account`);
    await page.getByText("My first passkey").waitFor();
    await page.getByText("Your account has no password").waitFor();
  });

  test("who has an account signs in and accepts with one click", async () => {
    const { team, context } = await startWithOwner();
    const ada = await team.person("ada@example.com");
    await givePassword(team, ada);
    const page = await openPage(context, `${team.site}/invite#${await invite(team, ada.email)}`);
    await page.getByRole("button", { name: "I have an account" }).click();
    await typeSignIn(page, ada.email, goodPassword);
    await page.getByRole("heading", { level: 1, name: "Invitation" }).waitFor();
    await page.locator("#facts").getByText("A project", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByRole("heading", { name: "You're in" }).waitFor();
    await page.goto(`${team.site}/account`);
    await page.getByText(`ada@example.com, ${team.owner.email}`).waitFor();
  });

  test("sees that the invitation has expired, was withdrawn, or that the link is incomplete", async () => {
    const { team, context } = await startWithOwner();
    const withdrawn = await invite(team, "bob@example.com");
    await team.call("auth/invite/delete", { invite_code: withdrawn }, team.inProject(team.owner));
    const expired = await invite(team, "ada@example.com");
    team.advance(8 * 86_400);
    for (const [code, text] of [
      [withdrawn, "There is no such invitation."],
      [expired, "This invitation has expired."],
      ["", "This link is incomplete."],
    ] as const) {
      const page = await openPage(context, `${team.site}/invite#${code}`);
      await alertOn(page).getByText(text).waitFor();
      await page.close();
    }
  });
});

describeInBrowser("an open session", () => {
  test("is listed, and can be ended from another one: it is refused from its next call on", async () => {
    const { team, context } = await startWithOwner();
    const there = await signInAt(team, await openBrowser());
    const here = await signInAt(team, context);
    await here.locator("#sessions li").nth(1).waitFor();
    expect(await here.locator("#sessions li").count()).toBe(2);
    await here.getByRole("button", { name: /^End the session of/ }).click();
    await here.getByRole("dialog").getByRole("button", { name: "End the session" }).click();
    await here.locator("#sessions li").nth(1).getByText("ended").waitFor();
    await there.reload();
    await there.waitForURL(`${team.site}/sign-in?next=/account`);
    expect(here.url()).toBe(`${team.site}/account`);
  });

  test.each([
    ["after twelve hours without use", 12 * 3600 + 60],
    ["after seven days", 7 * 86_400 + 60],
  ])("ends %s", async (_, seconds) => {
    const { team, context } = await startWithOwner();
    const page = await signInAt(team, context);
    team.advance(seconds);
    await page.reload();
    await page.waitForURL(`${team.site}/sign-in?next=/account`);
  });

  test("cannot be used by another site's page, by form or by fetch, not even on another port of the same machine", async () => {
    const { team, context } = await startWithOwner();
    await signInAt(team, context);
    const before = (await team.call("auth/keys/list", {}, { as: team.owner })).body.results.length;
    const target = `${team.site}/latest/auth/keys/create`;
    const evil = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<form method="post" enctype="text/plain" action="${target}"><input name='{"label":"' value='"}'></form>`,
      );
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    cleanUpLater(async () => {
      evil.closeAllConnections();
      await new Promise((resolve) => evil.close(resolve));
    });
    const { port } = evil.address() as AddressInfo;
    // The same machine by the same name is the same site: the browser sends the cookie along, and the server must refuse.
    for (const host of ["localhost", "127.0.0.1"]) {
      const page = await context.newPage();
      await page.goto(`http://${host}:${port}/`);
      const fetched = await page.evaluate<string[]>(`Promise.all(["text/plain", "application/json"].map((type) =>
        fetch(${JSON.stringify(target)}, { method: "POST", credentials: "include", headers: { "content-type": type }, body: "{}" })
          .then((answer) => "read " + answer.status, (error) => error.name)))`);
      expect(fetched).toEqual(["TypeError", "TypeError"]);
      const [answer] = await Promise.all([
        page.waitForResponse(target),
        page.evaluate("void setTimeout(() => document.forms[0].submit())"),
      ]);
      // The page is left as it is: closing one whose navigation has just been refused can take Chromium for ever.
      expect(answer.status()).toBe(415);
    }
    expect((await team.call("auth/keys/list", {}, { as: team.owner })).body.results).toHaveLength(before);
  });
});
