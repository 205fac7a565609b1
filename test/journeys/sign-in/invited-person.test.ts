import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser/browser.ts";
import { addVirtualAuthenticator, openPage, type PageTeam, typeSignIn } from "../../support/browser/pages.ts";
import { givePassword, goodPassword, lastMail } from "../../support/sign-in/sign-in.ts";
import { asRole } from "../../support/team.ts";
import { alertOn, startWithOwner } from "./owner.ts";

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
