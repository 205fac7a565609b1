import { busy, byId, say } from "./page.js";

/** Asks before something that cannot be taken back. */

const dialog = byId("ask");
const yes = byId("ask-yes");
let wanted = async () => {};
let settle = () => {};

/** Somebody who clicks twice has not read the question: the second click must not answer it. */
const readMilliseconds = 700;

/**
 * Resolves with true once it is done, with false where the person leaves it. `work` runs while the question is still shown, and
 * what goes wrong is said there.
 */
export function ask({ title, text, action, work }) {
  byId("ask-title").textContent = title;
  byId("ask-text").textContent = text;
  yes.textContent = action;
  wanted = work;
  say("ask-message", "");
  yes.setAttribute("aria-disabled", "true");
  setTimeout(() => yes.removeAttribute("aria-disabled"), readMilliseconds);
  dialog.showModal();
  byId("ask-cancel").focus();
  return new Promise((resolve) => {
    settle = (isDone) => {
      dialog.close();
      resolve(isDone);
    };
  });
}

yes.addEventListener("click", () =>
  busy(yes, "ask-message", async () => {
    await wanted();
    settle(true);
  }),
);
byId("ask-cancel").addEventListener("click", () => settle(false));
dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  settle(false);
});
