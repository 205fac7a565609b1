import type { Page } from "playwright-core";
import { type Platform, startPlatform } from "../platform.ts";
import { freePort } from "../processes/free-ports.ts";
import { givePassword, goodPassword } from "../sign-in/sign-in.ts";
import { openBrowser } from "./browser.ts";
import { openPage } from "./pages.ts";

/** The platform with its sandboxes on a real port, and its owner, signed in, in a real browser that has no page of the console open yet. */
export interface ConsoleWorld extends Platform {
  site: string;
  page: Page;
  /** Opens a page of the project by the last part of its address. */
  open(part?: string): Promise<void>;
}

export async function startConsole(
  options: Parameters<typeof openBrowser>[0] = {},
  { port = 0, ...more }: Parameters<typeof startPlatform>[1] & { port?: number } = {},
): Promise<ConsoleWorld> {
  port ||= await freePort();
  const platform = await startPlatform("sqlite", { baseUrl: `http://127.0.0.1:${port}`, ...more });
  await platform.app.app.listen({ host: "127.0.0.1", port });
  await givePassword(platform.app, platform.owner);
  const site = `http://localhost:${port}`;
  const home = `${site}/projects/${platform.projectId}`;
  const page = await openPage(await openBrowser(options), `${site}/sign-in`);
  // As the page does it; the tests of sign-in type it.
  const signIn = JSON.stringify({ email: platform.owner.email, password: goodPassword });
  const headers = JSON.stringify({ "content-type": "application/json" });
  await page.evaluate(
    `fetch("/latest/auth/sign_in/password", { method: "POST", headers: ${headers}, body: ${JSON.stringify(signIn)} })`,
  );
  return {
    ...platform,
    site,
    page,
    async open(part = "") {
      await page.goto(part.startsWith("/") ? `${site}${part}` : `${home}${part === "" ? "" : `/${part}`}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
  };
}
