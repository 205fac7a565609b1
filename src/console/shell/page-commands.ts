import type { Command } from "./commands.ts";

/** The buttons and tabs of the open page, so that the command menu reaches every action that stands on it. */
export function pageCommands(): Command[] {
  const found = new Map<string, Command>();
  for (const button of document.querySelectorAll<HTMLElement>("#main button, #main [role=tab]")) {
    const title = nameOf(button);
    if (title === "" || found.has(title) || !isReachable(button)) continue;
    found.set(title, { title, kind: "On this page", to: () => press(button), also: "" });
  }
  return [...found.values()];
}

const nameOf = (button: HTMLElement): string =>
  (button.getAttribute("aria-label") ?? button.innerText).replaceAll(/\s+/g, " ").trim();

const isReachable = (button: HTMLElement): boolean =>
  !button.matches(":disabled, [role=option]") &&
  (button.tabIndex >= 0 || button.matches("[role=tab]")) &&
  button.checkVisibility();

function press(button: HTMLElement): void {
  button.focus();
  button.click();
}
