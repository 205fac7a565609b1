import { call } from "./call.js";
import { byId, onClick, onSubmit, say } from "./page.js";
import { askPasskey, knowsPasskeys } from "./passkeys.js";

/** "Is it still you?": asked where the API wants to know, and what was wanted is then done. */

const dialog = byId("confirm");
let settle = () => {};
let ssoUrl = null;

/** Whose account it is, which decides how it can be confirmed. */
export async function confirmAs(email) {
  byId("confirm-username").value = email;
  ({ sso_url: ssoUrl } = await call("auth/sign_in/methods", { email }).catch(() => ({ sso_url: null })));
}

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
  byId("confirm-sso").hidden = ssoUrl === null;
  return new Promise((resolve, reject) => {
    settle = (isConfirmed) => {
      dialog.close();
      if (isConfirmed) resolve();
      else reject(new DOMException("Nobody confirmed.", "AbortError"));
    };
    dialog.showModal();
    if (byId("confirm-password").offsetParent !== null) byId("confirm-password").focus();
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
// The provider sends the person back here, confirmed; what they wanted is then one click away.
onClick("confirm-sso", "confirm-message", async () => {
  const url = new URL(ssoUrl, location.origin);
  url.searchParams.set("confirm", "1");
  url.searchParams.set("next", "/account");
  location.assign(url);
});
onClick("confirm-cancel", "confirm-message", async () => settle(false));
dialog.addEventListener("cancel", () => settle(false));
