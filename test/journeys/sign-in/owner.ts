import type { BrowserContext, Page } from "playwright-core";
import { openBrowser } from "../../support/browser/browser.ts";
import { openPage, type PageTeam, startPages, typeSignIn } from "../../support/browser/pages.ts";
import { givePassword, goodPassword } from "../../support/sign-in/sign-in.ts";

export async function startWithOwner(): Promise<{ team: PageTeam; context: BrowserContext }> {
  const team = await startPages();
  await givePassword(team, team.owner);
  return { team, context: await openBrowser() };
}

export const sessionCookie = async (context: BrowserContext) =>
  (await context.cookies()).find(({ name }) => name === "__Host-sb_session_us");

export async function signInAt(team: PageTeam, context: BrowserContext, email = team.owner.email): Promise<Page> {
  const page = await openPage(context, `${team.site}/sign-in`);
  await typeSignIn(page, email, goodPassword);
  await page.waitForURL(`${team.site}/account`);
  await page.getByText(email).first().waitFor();
  return page;
}

export const alertOn = (page: Page) => page.getByRole("alert").filter({ visible: true });
