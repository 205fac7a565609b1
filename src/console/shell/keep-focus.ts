/**
 * The focus is never lost. When the element that has it disappears, with the dialog that was closed or the row that was
 * deleted, the focus goes back to where the person was before, to what stands at its position now, or to the page's heading.
 */

/** The parents of an element with its position in each, innermost first. */
type Position = { parent: Element; index: number }[];

interface Focused {
  element: HTMLElement;
  position: Position;
  path: string;
}

/** Longer than dialogs and pages take to move the focus themselves. */
const pauseMilliseconds = 80;

/** Returns how to stop it. */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null;
  /** The last one within the page: dialogs and menus stand beside it. */
  let inPage: Focused | null = null;
  /** A button that is disabled while its change is under way gets the focus back afterwards. */
  let isPaused = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function note(element: HTMLElement): void {
    if (element === document.body) return;
    last = element;
    isPaused = false;
    if (element.closest("#root")) inPage = { element, position: positionOf(element), path: window.location.pathname };
  }

  /** A person who clicks beside everything gives the focus up. */
  function forgetIfLeft(element: HTMLElement): void {
    if (element === last && document.hasFocus() && hasNone() && isUsable(element)) last = null;
  }

  function look(): void {
    if (last === null || !hasNone()) return;
    if (last.matches(":disabled")) isPaused = last.isConnected;
    else if (isPaused && isUsable(last)) last.focus({ preventScroll: true });
    if (isUsable(last) || isPaused) return;
    clearTimeout(timer);
    timer = setTimeout(restore, pauseMilliseconds);
  }

  function restore(): void {
    if (last === null || !hasNone() || isUsable(last)) return;
    const dialog = [...document.querySelectorAll<HTMLElement>("[role=dialog]")].findLast(isUsable);
    const target = dialog ? (firstIn(dialog) ?? dialog) : targetAfter(inPage);
    target?.focus({ preventScroll: true });
  }

  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener("focusin", ({ target }) => note(target as HTMLElement), { signal });
  const left = ({ target }: FocusEvent) => void setTimeout(() => forgetIfLeft(target as HTMLElement));
  document.addEventListener("focusout", left, { signal });
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  if (document.activeElement instanceof HTMLElement) note(document.activeElement);
  return () => {
    listening.abort();
    observer.disconnect();
    clearTimeout(timer);
  };
}

const hasNone = (): boolean => document.activeElement === document.body || document.activeElement === null;

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && !element.matches(":disabled") && element.checkVisibility();

function targetAfter(inPage: Focused | null): HTMLElement | null {
  const heading = document.querySelector<HTMLElement>("h1");
  if (!inPage || inPage.path !== window.location.pathname) return heading;
  if (isUsable(inPage.element)) return inPage.element;
  return atPosition(inPage.position) ?? heading;
}

function positionOf(element: HTMLElement): Position {
  const position: Position = [];
  for (let child: Element = element; child.parentElement && child.id !== "main"; child = child.parentElement) {
    position.push({ parent: child.parentElement, index: [...child.parentElement.children].indexOf(child) });
  }
  return position;
}

/** What can have the focus where the element was: in the innermost parent that is still there. */
function atPosition(position: Position): HTMLElement | null {
  const { parent, index } = position.find(({ parent: each }) => each.isConnected) ?? {};
  if (!parent || index === undefined) return null;
  const near = parent.children[Math.min(index, parent.children.length - 1)];
  return (near && (isTarget(near) ? near : firstIn(near))) ?? firstIn(parent);
}

const targets = "a[href], button, input, textarea, select, [tabindex]:not([tabindex='-1'])";

const isTarget = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement && element.matches(targets) && isUsable(element);

const firstIn = (element: Element): HTMLElement | null =>
  [...element.querySelectorAll<HTMLElement>(targets)].find(isTarget) ?? null;
