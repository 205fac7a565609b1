import { call } from "./call.js";
import { byId, onSubmit, say, showStep } from "./page.js";

/** The token stands behind the #, which the browser keeps to itself; from here on it is not even in the address. */
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

if (!/^[0-9A-Za-z]{43}$/.test(token)) {
  byId("reset-form").hidden = true;
  say("message", "This link is not whole.", "Open the link from the mail once more, or ask for another one.");
} else byId("new-password").focus();

onSubmit(
  "reset-form",
  "message",
  async () => {
    await call("auth/password/reset", { token, new_password: byId("new-password").value });
    showStep("step-done");
  },
  { new_password: "new-password" },
);
