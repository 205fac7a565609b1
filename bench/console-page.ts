import type { Page } from "playwright-core";

/** What a page of the console measures of itself, as text that runs in the browser. */

/** The page can be used, and what it loads afterwards is there too. Its stream of changes never ends, so the network is never idle. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.locator("main [aria-busy=true]").first().waitFor({ state: "hidden" });
  await page.waitForTimeout(1500);
}

export const isUsable = `document.querySelector("main h1") !== null && !document.querySelector("main [aria-busy=true]")`;

/** A shift right after a click counts for a page that was opened by it, as nobody expects the rest to move. */
export const watchShifts = `window.shifted = 0;
window.shiftedByInput = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) {
    if (hadRecentInput) window.shiftedByInput += value;
    else window.shifted += value;
  }
}).observe({ type: "layout-shift", buffered: true });`;

/** Durations come in steps of 8 ms. Of keys, what the script itself takes. */
export const watchEvents = `window.slowest = 0;
window.keys = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.interactionId > 0) window.slowest = Math.max(window.slowest, entry.duration);
    if (entry.name === "keydown" || entry.name === "input") window.keys.push(entry.processingEnd - entry.processingStart);
  }
}).observe({ type: "event", buffered: true, durationThreshold: 16 });`;

/**
 * Of each key that changes the list of what was found, how long until the list has changed for the last time. A key that leaves the
 * list as it is ends the look at the key before it and counts for nothing.
 */
export const watchAnswers = `window.answers = [];
let endOfLook = () => {};
const isOfList = (node) => {
  const element = node.nodeType === 3 ? node.parentElement : node;
  // A list that opens or closes changes the element around it.
  return element?.closest("[role=listbox]") || (element !== document.body && element?.querySelector(":scope > * > [role=listbox]"));
};
addEventListener("input", () => {
  endOfLook();
  const start = performance.now();
  let took = null;
  const seen = new MutationObserver((changes) => {
    if (changes.some(({ target }) => isOfList(target))) took = performance.now() - start;
  });
  seen.observe(document.body, { subtree: true, childList: true, characterData: true });
  endOfLook = window.endOfLook = () => {
    if (took !== null) window.answers.push(took);
    took = null;
    seen.disconnect();
  };
}, { capture: true });`;
