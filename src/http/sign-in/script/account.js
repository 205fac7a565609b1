import { prepareCodes } from "./account-codes.js";
import { showKeys, showPasskeys, showSessions } from "./account-lists.js";
import { call } from "./call.js";
import { confirmAs, confirmed } from "./confirm.js";
import { byId, make, onClick, onSubmit, showProblem } from "./page.js";
import { addPasskey, knowsPasskeys } from "./passkeys.js";

const day = (text) => new Date(text).toLocaleDateString([], { dateStyle: "long" });

function notice(text) {
  const box = byId("notice");
  box.replaceChildren(make("p", { text }));
  box.hidden = text === "";
  if (text !== "") box.focus();
}

/** Until the second factor is there, nothing else can be asked. */
let wasEnrolling = false;

async function refresh() {
  const security = await call("auth/security/get");
  const { enrolling, codes } = security;
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = enrolling && section.id !== "enrolling" && !("factor" in section.dataset);
  }
  byId("enrolling").hidden = !enrolling;
  byId("current-part").hidden = security.password_changed_at === null;
  byId("confirm-password-part").hidden = security.password_changed_at === null;
  byId("password-state").textContent =
    security.password_changed_at === null
      ? "Your account has no password. You can set one."
      : `Last changed on ${day(security.password_changed_at)}.`;
  byId("codes-state").textContent = codes
    ? `On since ${day(codes.created_at)}. ${codes.recovery_codes_left} of 10 recovery codes are left.`
    : "Off. An authenticator app on your phone would show a new code every thirty seconds.";
  byId("codes-begin").textContent = codes ? "Replace the app" : "Set up an app";
  byId("codes-remove").hidden = codes === null;
  if (wasEnrolling && !enrolling) notice("Thank you: your second factor is set up, and you are in.");
  wasEnrolling = enrolling;
  if (!enrolling) await Promise.all([showPasskeys(refresh), showSessions(), showKeys()]);
}

prepareCodes(refresh);

byId("passkey-form").hidden = !knowsPasskeys;
byId("no-passkeys").hidden = knowsPasskeys;
onSubmit("passkey-form", "message", async () => {
  const label = byId("passkey-label").value.trim();
  await confirmed(() => addPasskey(label));
  byId("passkey-label").value = "";
  await refresh();
});

onSubmit(
  "change-form",
  "message",
  async () => {
    const current = byId("current-password").value;
    const wanted = {
      new_password: byId("new-password").value,
      ...(current === "" ? {} : { current_password: current }),
    };
    await confirmed(() => call("auth/password/change", wanted));
    byId("change-form").reset();
    await refresh();
    notice("Your password is new. Your other sessions were ended.");
  },
  { new_password: "new-password", current_password: "current-password" },
);

onClick("end-others", "message", async () => {
  await call("auth/sessions/revoke");
  await showSessions();
});

onSubmit("key-form", "message", async () => {
  const label = byId("key-label").value.trim();
  const made = await confirmed(() => call("auth/keys/create", label === "" ? {} : { label }));
  byId("key-form").reset();
  byId("new-key-text").textContent = made.api_key;
  byId("new-key").hidden = false;
  byId("new-key").focus();
  await showKeys();
});
onClick("new-key-copy", "message", async () => {
  await navigator.clipboard.writeText(byId("new-key-text").textContent);
  byId("new-key-copy").textContent = "Copied";
});

onClick("sign-out", "message", async () => {
  await call("auth/sign_out");
  location.assign("/sign-in");
});

/** Whoever is not signed in is led there, and back. */
const mustSignIn = ["credentials_missing", "session_ended", "account_deactivated", "owner_deactivated"];

try {
  const who = await call("auth/info");
  byId("who").textContent = `${who.user.email}, ${who.organization.name}`;
  // As what the field holds by itself: it stays there when the form is emptied.
  byId("username").defaultValue = who.user.email;
  confirmAs(who.user.email);
  await refresh();
  if (wasEnrolling) byId("enrolling-title").focus();
} catch (error) {
  if (mustSignIn.includes(error.code)) location.replace("/sign-in?next=/account");
  else if (error.errors === undefined) throw error;
  else showProblem("message", error);
}
