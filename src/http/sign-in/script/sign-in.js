import { call, nextPlace } from "./call.js";
import { blame, busy, byId, make, onClick, onSubmit, showProblem, showStep } from "./page.js";
import { askPasskey, knowsPasskeys, offerInField } from "./passkeys.js";

let signInToken = null;
let organizationId = null;
/** The address that was last asked about, what its domain wants, and the answer on its way. */
let asked = { email: null, sso: null, answer: null };

function arrive({ state }) {
  location.assign(state === "set_up_second_factor" ? "/account#second-factor" : nextPlace());
}

/** What is still missing, or in. */
function goOn(answer) {
  const steps = {
    code_required: "step-code",
    passkey_required: "step-passkey",
    choose_organization: "step-organization",
  };
  const step = steps[answer.state];
  if (step === undefined) return arrive(answer);
  signInToken = answer.sign_in_token;
  if (answer.state === "choose_organization") offerChoice(answer.organizations);
  showStep(step);
}

function offerChoice(organizations) {
  const choices = organizations.map(({ organization_id: id, name }) => {
    const button = make("button", { type: "button", text: name });
    button.addEventListener("click", () =>
      busy(button, "message", async () => {
        organizationId = id;
        try {
          await withPassword();
        } catch (error) {
          showStep("step-password");
          throw error;
        }
      }),
    );
    return make("li", {}, [button]);
  });
  byId("organizations").replaceChildren(...choices);
}

const withPassword = async () =>
  goOn(
    await call("auth/sign_in/password", {
      email: byId("email").value.trim(),
      password: byId("password").value,
      ...(organizationId === null ? {} : { organization_id: organizationId }),
    }),
  );

/** Asks what the domain of the address wants; whether it has an account, nobody says. */
function askMethods() {
  const email = byId("email").value.trim();
  if (email === "" || !byId("email").validity.valid) return Promise.resolve();
  if (email !== asked.email) asked = { email, sso: null, answer: lookUp(email) };
  return asked.answer;
}

async function lookUp(email) {
  try {
    const { sso_url: url, sso_label: label, sso_required: required } = await call("auth/sign_in/methods", { email });
    if (asked.email !== email) return;
    asked.sso = url === null ? null : { url, label, required };
    offerWays(asked.sso);
  } catch {
    if (asked.email === email) asked.email = null;
  }
}

/** Where single sign-on is required, it is the only way that is offered. */
function offerWays(sso, isOwner = false) {
  const isOnly = sso?.required === true && !isOwner;
  byId("sso-part").hidden = sso === null || isOwner;
  byId("sso-or").hidden = isOnly;
  byId("sso-button").textContent = `Continue with ${sso?.label || "single sign-on"}`;
  byId("owner-part").hidden = !isOnly;
  byId("password-part").hidden = isOnly;
  byId("forgot-part").hidden = isOnly;
  byId("passkey-part").hidden = isOnly || !knowsPasskeys;
  // One button is the main one.
  byId("password-part").querySelector("button[type=submit]").className = sso === null || isOwner ? "primary" : "plain";
  if (isOnly) offered.abort();
}

/** A script of ours names the place, and it is on this site. */
function goToSso() {
  const url = new URL(asked.sso.url, location.origin);
  url.searchParams.set("next", nextPlace());
  location.assign(url);
}

let pause;
byId("email").addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(askMethods, 300);
});
byId("email").addEventListener("change", askMethods);

// With single sign-on, nobody has to type one.
byId("password").required = false;

onSubmit(
  "password-form",
  "message",
  async () => {
    organizationId = null;
    await askMethods();
    const isEmpty = byId("password").value === "";
    if (isEmpty && !byId("sso-part").hidden) return goToSso();
    blame("password", isEmpty ? "Please fill this in." : "");
    if (isEmpty) return byId("password").focus();
    await withPassword();
  },
  { email: "email" },
);

onSubmit("code-form", "code-message", async () => {
  arrive(await call("auth/sign_in/code", { sign_in_token: signInToken, code: byId("code").value.trim() }));
});

const withPasskey = async (response) => arrive(await call("auth/sign_in/passkey/finish", { response }));

for (const back of document.querySelectorAll("[data-back]")) {
  back.addEventListener("click", () => {
    byId("password").value = "";
    byId("code").value = "";
    showStep("step-password");
  });
}

onClick("sso-button", "message", async () => goToSso());
// An owner is let in by password even then: for the day when the provider is away.
onClick("owner-button", "message", async () => {
  offerWays(asked.sso, true);
  byId("password").focus();
});

let offered = new AbortController();
if (knowsPasskeys) {
  byId("passkey-part").hidden = false;
  const offerPasskey = () =>
    offerInField((response) => withPasskey(response).catch((error) => showProblem("message", error)));
  const usePasskey = async () => {
    // A browser answers one such question at a time.
    offered.abort();
    try {
      await withPasskey(await askPasskey());
    } finally {
      offered = await offerPasskey();
    }
  };
  onClick("passkey-button", "message", usePasskey);
  onClick("passkey-step-button", "passkey-message", usePasskey);
  offered = await offerPasskey();
}
if (byId("email").value === "") byId("email").focus();
else askMethods();
