import { moveInLists } from "./arrow-keys.ts";
import { keepFocus } from "./keep-focus.ts";

/** What the keyboard needs on every page. Returns how to stop it. */
export function startKeyboard(): () => void {
  const stops = [keepFocus(), moveInLists()];
  return () => {
    for (const stop of stops) stop();
  };
}
