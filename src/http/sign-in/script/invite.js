import { call } from "./call.js";
import { byId, moment, onClick, onSubmit, say, showProblem, showStep } from "./page.js";
import { addPasskey, knowsPasskeys } from "./passkeys.js";

/** The code comes behind the #, which no server sees. It is kept for this tab, for people who sign in first and return. */
const kept = "signalbox-invite";
const inAddress = location.hash.slice(1) || new URLSearchParams(location.search).get("code") || "";
if (inAddress !== "") sessionStorage.setItem(kept, inAddress);
const code = sessionStorage.getItem(kept) ?? "";
history.replaceState(null, "", location.pathname);

let seen = null;
let signUpToken = null;

const roles = {
  viewer: ["Viewer", "Sees everything in the project."],
  editor: ["Editor", "Also runs and changes tools, agents and accounts."],
  admin: ["Admin", "Also manages people and the project itself."],
};

function showFacts() {
  const { invited_by: email, invited_by_name: name } = seen;
  const who = name === "" || name === email ? email : `${name} (${email})`;
  const [role, means] = roles[seen.role];
  byId("invited-to").textContent = `${name || email} invites you to ${seen.project}.`;
  byId("project").textContent = seen.project;
  byId("organization").textContent = seen.organization;
  byId("role").textContent = role;
  byId("role-means").textContent = means;
  byId("invited-by").textContent = who;
  byId("invited-email").textContent = seen.email;
  byId("valid-until").replaceChildren(moment(seen.expires_at));
}

async function look() {
  try {
    seen = await call("auth/sign_up/look", { invite_code: code });
  } catch (error) {
    byId("looking").hidden = true;
    sessionStorage.removeItem(kept);
    return showProblem("message", error);
  }
  byId("looking").hidden = true;
  showFacts();
  byId("username").value = seen.email;
  const who = await call("auth/info").catch(() => null);
  if (who === null) {
    byId("seen").hidden = false;
    return;
  }
  byId("signed-in-as").textContent = who.user.email;
  byId("accept-facts").append(...byId("facts-here").children);
  if (who.user.email.toLowerCase() !== seen.email.toLowerCase()) {
    byId("accept-button").className = "";
    byId("other-button").className = "primary";
  }
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
  byId("sent-again").hidden = true;
  await begin();
  byId("sent-again").hidden = false;
  byId("mail-code").value = "";
  byId("mail-code").focus();
});

/** A mailed code is not an app's: it is in the newest e-mail, and another one can be sent. */
const mailedCodeWords = {
  code_refused: [
    "This is not the code that we sent.",
    "Type the eight digits from our newest e-mail, or have another code sent.",
  ],
  challenge_gone: [
    "This code no longer works: half an hour has passed, or it was tried too often.",
    "Have another code sent.",
  ],
};

onSubmit(
  "verify-form",
  "verify-message",
  async () => {
    byId("sent-again").hidden = true;
    const { state } = await call("auth/sign_up/finish", {
      sign_up_token: signUpToken,
      code: byId("mail-code").value.replaceAll(/\s/g, ""),
    });
    sessionStorage.removeItem(kept);
    const withPasskey = byId("with-passkey").checked;
    const made = withPasskey ? await addPasskey("My first passkey").catch(() => null) : null;
    if (state === "set_up_second_factor" && made === null) return location.assign("/account#second-factor");
    if (withPasskey && made === null) {
      byId("done-text").textContent =
        `You have joined ${seen.organization}, but no passkey was made. Add one now, or set a password.`;
      byId("done-link").href = "/account";
    } else byId("done-text").textContent = joined();
    showStep("step-done");
  },
  {},
  mailedCodeWords,
);

const joined = () => `You have joined the project ${seen.project} of ${seen.organization}.`;

onClick("accept-button", "accept-message", async () => {
  const accepted = await call("auth/invite/accept", { invite_code: code });
  sessionStorage.removeItem(kept);
  const { organization_id: here } = await call("auth/info");
  byId("done-text").textContent =
    here === accepted.organization_id ? joined() : `${joined()} To go there, sign in with your password and a code.`;
  showStep("step-done");
});

onClick("other-button", "accept-message", async () => {
  await call("auth/sign_out");
  location.assign("/sign-in?next=/invite");
});

if (code === "") {
  byId("looking").hidden = true;
  say("message", "This link is incomplete.", "Open the link from the e-mail once more.");
} else await look();
