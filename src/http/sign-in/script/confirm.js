import { call } from "./call.js";
import { byId, onClick, onSubmit, say } from "./page.js";
import { askPasskey, knowsPasskeys } from "./passkeys.js";

/** "Is it still you?": asked where the API wants to know, and what was wanted is then done. */

const dialog = byId("confirm");
let settle = () => {};

/** What is done once the person has confirmed; refused where they do not. */
export async function confirmed(work) {
  try {
    return await work();
  } catch (error) {
    if (error.code !== "confirmation_required") throw error;
  }
  await ask();
  return work();
}

function ask() {
  say("confirm-message", "");
  byId("confirm-password").value = "";
  byId("confirm-passkey").hidden = !knowsPasskeys;
  return new Promise((resolve, reject) => {
    settle = (isConfirmed) => {
      dialog.close();
      if (isConfirmed) resolve();
      else reject(new DOMException("Nobody confirmed.", "AbortError"));
    };
    dialog.showModal();
    byId("confirm-password").focus();
  });
}

onSubmit("confirm-form", "confirm-message", async () => {
  await call("auth/confirm/password", { password: byId("confirm-password").value });
  settle(true);
});
onClick("confirm-passkey", "confirm-message", async () => {
  await call("auth/confirm/passkey", { response: await askPasskey() });
  settle(true);
});
onClick("confirm-cancel", "confirm-message", async () => settle(false));
dialog.addEventListener("cancel", () => settle(false));
