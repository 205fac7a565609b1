import { call } from "./call.js";
import { byId, onSubmit, say, showStep } from "./page.js";

/** Token and address stand behind the #, which the browser keeps to itself; from here on they are not even in the address. */
const [token, address = ""] = location.hash.slice(1).split("/");
history.replaceState(null, "", location.pathname);

/** A link that some mail program has broken sets a password all the same; the page only cannot say whose. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

if (!/^[0-9A-Za-z]{43}$/.test(token)) {
  byId("reset-form").hidden = true;
  say("message", "This link is incomplete.", "Open the link from the e-mail once more, or ask for another one.");
} else {
  byId("username").value = decoded(address);
  byId("new-password").focus();
}

onSubmit(
  "reset-form",
  "message",
  async () => {
    await call("auth/password/reset", { token, new_password: byId("new-password").value });
    showStep("step-done");
  },
  { new_password: "new-password" },
);
