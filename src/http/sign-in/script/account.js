import { prepareCodes } from "./account-codes.js";
import { showKeys, showPasskeys, showSessions } from "./account-lists.js";
import { ask } from "./ask.js";
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

/** What is on and what is off. The lists stay as they are, so that nothing moves while somebody works in one. */
async function refreshState() {
  const security = await call("auth/security/get");
  const { enrolling, codes } = security;
  for (const section of document.querySelectorAll(".sections > section")) {
    section.hidden = enrolling && section.id !== "enrolling" && !("factor" in section.dataset);
  }
  byId("enrolling").hidden = !enrolling;
  byId("side").hidden = enrolling;
  const hasPassword = security.password_changed_at !== null;
  byId("current-part").hidden = !hasPassword;
  byId("confirm-password-part").hidden = !hasPassword;
  byId("password-state").textContent = hasPassword
    ? `Last changed on ${day(security.password_changed_at)}.`
    : "Your account has no password. You can set one.";
  byId("password-open").textContent = hasPassword ? "Change password" : "Set a password";
  byId("codes-state").textContent = codes
    ? `On since ${day(codes.created_at)}. ${codes.recovery_codes_left} of 10 recovery codes are left.`
    : "Off. An authenticator app on your phone would show a new code every thirty seconds.";
  byId("codes-begin").textContent = codes ? "Replace the app" : "Set up an app";
  byId("codes-remove").hidden = codes === null;
  if (wasEnrolling && !enrolling) notice("Your second factor is set up, and you are signed in.");
  wasEnrolling = enrolling;
  return enrolling;
}

async function refresh() {
  const enrolling = await refreshState();
  if (!enrolling) await Promise.all([showPasskeys(refreshState), showSessions(), showKeys()]);
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

function openPasswordForm(isOpen) {
  byId("change-form").hidden = !isOpen;
  byId("password-open").hidden = isOpen;
  byId("password-open").setAttribute("aria-expanded", String(isOpen));
  byId("change-form").reset();
  if (!isOpen) return byId("password-open").focus();
  byId(byId("current-part").hidden ? "new-password" : "current-password").focus();
}
byId("password-open").addEventListener("click", () => openPasswordForm(true));
byId("password-cancel").addEventListener("click", () => openPasswordForm(false));

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
    openPasswordForm(false);
    await refresh();
    notice("Your password was changed. You are signed out everywhere else.");
  },
  { new_password: "new-password", current_password: "current-password" },
);

byId("end-others").addEventListener("click", async () => {
  const isDone = await ask({
    title: "End all other sessions?",
    text: "Every browser but this one is signed out.",
    action: "End all others",
    work: () => call("auth/sessions/revoke"),
  });
  if (!isDone) return byId("end-others").focus();
  await showSessions();
  byId("sessions-title").focus();
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

/** A person who is not signed in goes to sign in, and returns. */
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
