import { moveInLists } from "./arrow-keys.ts";
import { keepFocus } from "./keep-focus.ts";

let isOn = false;

/** What the keyboard needs on every page. */
export function startKeyboard(): void {
  if (isOn) return;
  isOn = true;
  keepFocus();
  moveInLists();
}
