import type { Page } from "playwright-core";
import { isUsable, settled, watchAnswers, watchEvents, watchShifts } from "./console-page.ts";
import type { ConsoleSite } from "./targets/console-site.ts";

/** What a person who goes through all pages waits for; each is the worst of all pages. */
export interface Walk {
  /** A change of page: pages were opened once before, so that their script is there. */
  route: number;
  /** A key in the command menu. */
  typing: number;
  /** A key in "Search steps". */
  stepSearch: number;
  slowest: number;
  /** Of a page that was opened from another, data that arrives late included. */
  shift: number;
}

/** Goes through all pages by the navigation and uses each of them, then types into the command menu. */
export async function walkThrough(site: ConsoleSite): Promise<Walk> {
  const page = await site.open();
  await page.addInitScript(watchEvents + watchShifts + watchAnswers);
  await page.goto(site.home);
  await settled(page);
  const links = await page.getByRole("navigation").getByRole("link").allTextContents();
  const titles = links.filter((title) => title.trim() !== "");
  for (const title of titles) await openByNavigation(page, title);
  const walk: Walk = { route: 0, typing: 0, stepSearch: 0, slowest: 0, shift: 0 };
  for (const title of titles) {
    await page.evaluate("window.slowest = window.shifted = window.shiftedByInput = 0");
    walk.route = Math.max(walk.route, await openByNavigation(page, title));
    walk.shift = Math.max(walk.shift, await page.evaluate<number>("window.shifted + window.shiftedByInput"));
    await useMainParts(page);
    if ((await stepSearchOf(page).count()) > 0) walk.stepSearch = await typeIntoStepSearch(page);
    const slowest = await page.evaluate<number>("window.slowest");
    console.log(`console: ${title.trim()}, slowest interaction ${slowest} ms`);
    walk.slowest = Math.max(walk.slowest, slowest);
  }
  await page.keyboard.press("Control+k");
  const search = page.getByRole("combobox", { name: "Search pages, tools and actions" });
  await search.waitFor();
  await page.evaluate("window.keys = []; window.slowest = 0");
  await search.pressSequentially("deployment", { delay: 60 });
  await page.getByRole("option").first().waitFor();
  walk.typing = await page.evaluate<number>("Math.max(0, ...window.keys)");
  walk.slowest = Math.max(walk.slowest, await page.evaluate<number>("window.slowest"));
  await page.context().close();
  return walk;
}

async function openByNavigation(page: Page, title: string): Promise<number> {
  const link = page.getByRole("navigation").getByRole("link", { name: title }).first();
  await link.hover();
  const took = page.evaluate<number>(`new Promise((resolve) => {
    addEventListener("click", () => {
      const start = performance.now();
      const look = () => {
        if (${isUsable}) resolve(performance.now() - start);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { capture: true, once: true });
  })`);
  await link.click();
  const milliseconds = await took;
  await settled(page);
  return milliseconds;
}

/** Time for the next paint, and for the browser to tell of it. */
const paintMilliseconds = 300;

/** What people do on every page: they open a choice, type into a field, go through rows, and change the tab. */
async function useMainParts(page: Page): Promise<void> {
  const main = page.locator("main");
  const choice = main.locator("input[aria-haspopup=listbox]:enabled:visible").first();
  if ((await choice.count()) > 0) {
    await choice.click();
    await page.waitForTimeout(paintMilliseconds);
    await page.keyboard.press("Escape");
  }
  const field = main.locator("input:is([type=search], [type=text]:not([aria-haspopup])):enabled:visible").first();
  if ((await field.count()) > 0) {
    await field.focus();
    await field.pressSequentially("web", { delay: 60 });
    await page.waitForTimeout(paintMilliseconds);
    await field.fill("");
  }
  const row = main.locator("tbody tr[tabindex]").first();
  if ((await row.count()) > 0) {
    await row.focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
  }
  const tab = main.getByRole("tab", { selected: false }).first();
  if ((await tab.count()) > 0) await tab.click();
  // Every page has something that Tab reaches.
  for (const key of ["Tab", "Tab"]) await page.keyboard.press(key);
  await page.waitForTimeout(paintMilliseconds);
}

const stepSearchOf = (page: Page) => page.locator("main").getByLabel("Search steps");

async function typeIntoStepSearch(page: Page): Promise<number> {
  const search = stepSearchOf(page).first();
  await search.click();
  await page.evaluate("window.answers = []");
  await search.pressSequentially("deployment", { delay: 100 });
  await page.waitForTimeout(paintMilliseconds);
  const answers = await page.evaluate<number[]>("window.endOfLook(); window.answers");
  if (answers.length === 0) throw new Error("No key in Search steps had an answer.");
  return Math.max(...answers);
}
