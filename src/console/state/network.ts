import { useSyncExternalStore } from "react";

/** Whether the last attempt to reach the server had an answer. The banner at the top shows it. */

let reachable = true;
const listeners = new Set<() => void>();

export function noteAttempt(answered: boolean): void {
  if (reachable === answered) return;
  reachable = answered;
  for (const listener of listeners) listener();
}

// The browser knows of a lost network before the next attempt.
window.addEventListener("offline", () => noteAttempt(false));

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => reachable);
