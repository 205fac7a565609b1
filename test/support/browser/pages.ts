import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { freePort } from "../processes/free-ports.ts";
import { cleanUpLater } from "../stores.ts";
import { startTeam, type Team } from "../team.ts";

/** The world of most tests, served on a real port for a real browser, with the clock of the test. */
export interface PageTeam extends Team {
  port: number;
  /** "People open the pages as http://localhost:4100." */
  site: string;
}

export async function startPages(): Promise<PageTeam> {
  const port = await freePort();
  const team = await startTeam("sqlite", { baseUrl: `http://127.0.0.1:${port}` });
  await team.app.listen({ host: "127.0.0.1", port });
  return { ...team, port, site: `http://localhost:${port}` };
}

/** A page that fails the test if its scripts fail, or if it violates its own policy. */
export async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (line) => {
    if (/Content Security Policy|TrustedHTML|Uncaught/.test(line.text())) faults.push(line.text());
  });
  cleanUpLater(async () => {
    if (faults.length > 0) throw new Error(`The page has faults: ${faults.join("; ")}`);
  });
  await page.goto(url);
  return page;
}

/** A device with a finger on its sensor: Chromium's virtual authenticator. */
export async function addVirtualAuthenticator(page: Page): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

/** Types address and password into the page and submits them. */
export async function typeSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
