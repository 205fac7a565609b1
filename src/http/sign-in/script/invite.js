import { call } from "./call.js";
import { byId, onClick, onSubmit, say, showProblem, showStep } from "./page.js";
import { addPasskey, knowsPasskeys } from "./passkeys.js";

/** The code comes behind the #, which no server sees. It is kept for this tab, for those who go to sign in and come back. */
const kept = "signalbox-invite";
const inAddress = location.hash.slice(1) || new URLSearchParams(location.search).get("code") || "";
if (inAddress !== "") sessionStorage.setItem(kept, inAddress);
const code = sessionStorage.getItem(kept) ?? "";
history.replaceState(null, "", location.pathname);

let seen = null;
let signUpToken = null;

async function look() {
  try {
    seen = await call("auth/sign_up/look", { invite_code: code });
  } catch (error) {
    byId("looking").hidden = true;
    sessionStorage.removeItem(kept);
    return showProblem("message", error);
  }
  byId("looking").hidden = true;
  byId("invited-by").textContent = seen.invited_by;
  byId("organization").textContent = seen.organization;
  byId("project").textContent = seen.project;
  byId("invited-email").textContent = seen.email;
  byId("username").value = seen.email;
  const who = await call("auth/info").catch(() => null);
  if (who === null) {
    byId("seen").hidden = false;
    return;
  }
  byId("signed-in-as").textContent = who.user.email;
  showStep("step-accept");
}

onClick("new-button", "message", async () => showStep("step-sign-up"));
onClick("known-button", "message", async () => location.assign("/sign-in?next=/invite"));
for (const back of document.querySelectorAll("[data-back]")) {
  back.addEventListener("click", () => {
    byId("seen").hidden = false;
    showStep("step-look");
  });
}

byId("passkey-choice").hidden = !knowsPasskeys;
byId("with-passkey").addEventListener("change", () => {
  byId("new-password-part").hidden = byId("with-passkey").checked;
});

async function begin() {
  const wanted = { invite_code: code, name: byId("name").value.trim() };
  if (!byId("with-passkey").checked) wanted.password = byId("new-password").value;
  const begun = await call("auth/sign_up/begin", wanted);
  signUpToken = begun.sign_up_token;
  byId("mailed-to").textContent = seen.email;
}

onSubmit(
  "sign-up-form",
  "sign-up-message",
  async () => {
    await begin();
    showStep("step-verify");
  },
  { name: "name", password: "new-password" },
);

onClick("again-button", "verify-message", async () => {
  await begin();
  say("verify-message", "Another code is on its way. The one before does not count any longer.");
});

onSubmit("verify-form", "verify-message", async () => {
  const { state } = await call("auth/sign_up/finish", {
    sign_up_token: signUpToken,
    code: byId("mail-code").value.replaceAll(/\s/g, ""),
  });
  sessionStorage.removeItem(kept);
  const withPasskey = byId("with-passkey").checked;
  const made = withPasskey ? await addPasskey("My first passkey").catch(() => null) : null;
  if (state === "set_up_second_factor" && made === null) return location.assign("/account#second-factor");
  byId("done-text").textContent =
    withPasskey && made === null
      ? `You have joined ${seen.organization}, but no passkey was made. Add one now, or set a password.`
      : `You have joined ${seen.organization}, and its project ${seen.project}.`;
  showStep("step-done");
});

onClick("accept-button", "accept-message", async () => {
  const accepted = await call("auth/invite/accept", { invite_code: code });
  sessionStorage.removeItem(kept);
  const joined = `You have joined ${seen.organization}, and its project ${seen.project}.`;
  const { organization_id: here } = await call("auth/info");
  byId("done-text").textContent =
    here === accepted.organization_id ? joined : `${joined} To go there, sign in with your password and a code.`;
  showStep("step-done");
});

onClick("other-button", "accept-message", async () => {
  await call("auth/sign_out");
  location.assign("/sign-in?next=/invite");
});

if (code === "") {
  byId("looking").hidden = true;
  say("message", "This link is not whole.", "Open the link from the mail once more.");
} else await look();
