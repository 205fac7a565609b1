import type { Browser, BrowserContext } from "playwright-core";
import { describe } from "vitest";
import { cleanUpLater } from "../stores.ts";
import { findChromium } from "./find-chromium.ts";

const program = findChromium();

let browser: Promise<Browser> | null = null;

/** The library ends it with this process. */
async function openOnce(executablePath: string): Promise<Browser> {
  browser ??= launch(executablePath);
  const open = await browser;
  if (open.isConnected()) return open;
  browser = launch(executablePath);
  return browser;
}

/** Tests that need a real browser; without one they are skipped, and the report says so. */
export function describeInBrowser(name: string, body: () => void): void {
  const missing = program === undefined;
  describe.skipIf(missing)(missing ? `${name} (skipped: no Chromium on this machine)` : name, body);
}

/** Loaded here: a machine without a browser does not need the library. */
async function launch(executablePath: string): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  // Tests may run as root, where Chromium's own sandbox does not work.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** A new browser context, closed after the test. One browser serves all tests of a worker: contexts share nothing. */
export async function openBrowser(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
  if (program === undefined) throw new Error("There is no Chromium on this machine: use describeInBrowser.");
  // Movement is drawn sixty times a second, and no test looks at it.
  const context = await (await openOnce(program)).newContext({ reducedMotion: "reduce", ...options });
  // Reached only where something never comes: on a busy machine a page may take its time.
  context.setDefaultTimeout(60_000);
  cleanUpLater(() => context.close());
  return context;
}
