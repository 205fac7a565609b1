import { type ComponentType, type LazyExoticComponent, lazy } from "react";

/**
 * A component that a page shows later, such as a dialog. Its script loads when the browser has nothing else to do, or when
 * the component is first shown.
 */
export function lazyWhenIdle<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  const loadModule = async () => ({ default: await load() });
  whenIdle(() => void load().catch(() => {}));
  return lazy(loadModule);
}

/** The first page is read before anything that may be needed later. */
const firstPageMilliseconds = 2000;

function whenIdle(work: () => void): void {
  const wait = () => void setTimeout(() => requestIdleCallback(work), firstPageMilliseconds);
  if (document.readyState === "complete") wait();
  else window.addEventListener("load", wait, { once: true });
}
