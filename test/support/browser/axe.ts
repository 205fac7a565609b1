import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds serious or critical on the page as it is shown, or within an element of it: one line each. */
export async function seriousFindings(
  page: Page,
  rules: "all" | "colours" = "all",
  within: string | null = null,
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  const options = {
    resultTypes: ["violations"],
    preload: false,
    ...(rules === "colours" && { runOnly: ["color-contrast"] }),
  };
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${within === null ? "document" : JSON.stringify(within)}, ${JSON.stringify(options)})`,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary}`),
    );
}

/** Colours fade from one scheme to the other, and have no contrast in between. */
const transitionsEnd = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(document.getAnimations()
    .filter((animation) => animation.effect?.getTiming().iterations !== Infinity)
    .map((animation) => animation.finished)))`;

const looks = [
  { colorScheme: "light", width: 1280, rules: "all" },
  { colorScheme: "dark", width: 1280, rules: "colours" },
  { colorScheme: "dark", width: 390, rules: "all" },
  { colorScheme: "light", width: 390, rules: "colours" },
] as const;

/** The same in both schemes at both widths. The scheme changes nothing but colours, so its second look is for these. */
export async function seriousFindingsEverywhere(page: Page, within: string | null = null): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, width, rules } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(transitionsEnd);
    for (const line of await seriousFindings(page, rules, within)) found.push(`${colorScheme} ${width}: ${line}`);
  }
  return found;
}
