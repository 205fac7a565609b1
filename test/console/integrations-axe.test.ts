import { expect, test } from "vitest";
import { seriousFindingsEverywhere } from "../support/axe.ts";
import { describeInBrowser } from "../support/browser.ts";
import { startConsole } from "../support/console.ts";

describeInBrowser("Integrations & API Keys", () => {
  test("the page has no serious finding of axe: accounts, an account, the dialogs and keys, light and dark, wide and narrow", async () => {
    const { page, open, connections } = await startConsole();
    const found: string[] = [];
    const views: [address: string, isThere: string][] = [
      ["integrations", "Manage"],
      [`integrations?account=${connections.marketing}`, "It passes"],
      ["integrations?connect=analytics", "A window opens"],
      ["integrations?tab=keys&new=1", "Expires after"],
    ];
    for (const [address, text] of views) {
      await open(address);
      if (text === "A window opens") await page.getByRole("radio", { name: "Sandbox" }).check();
      await page.getByText(text).first().waitFor();
      for (const line of await seriousFindingsEverywhere(page)) found.push(`${address}, ${line}`);
    }
    expect(found).toEqual([]);
  });
});
