/** "Every list moves with arrow keys": links and buttons of a list, where the list has no keys of its own. */

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** Returns how to stop it. */
export function moveInLists(): () => void {
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    const from = event.target as HTMLElement;
    if (
      step === undefined ||
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.shiftKey
    )
      return;
    if (!from.matches("a[href], button:not([aria-haspopup], [role])")) return;
    const items = itemsOf(from.closest("ul, ol, nav"));
    const index = items.findIndex((item) => item === from || item.closest("li")?.contains(from));
    const next = items[Math.max(0, Math.min(items.length - 1, index + step))];
    if (index < 0 || !next) return;
    event.preventDefault();
    next.focus();
  };
  document.addEventListener("keydown", move);
  return () => document.removeEventListener("keydown", move);
}

/** The first link or button of each item; of the navigation, every link. */
function itemsOf(list: Element | null): HTMLElement[] {
  if (!list) return [];
  const rows = list.matches("nav") ? [...list.querySelectorAll("a[href]")] : [...list.children];
  return rows.flatMap((row) => {
    const item = row.matches("a[href]") ? row : row.querySelector("a[href], button:not(:disabled)");
    return item instanceof HTMLElement ? [item] : [];
  });
}
