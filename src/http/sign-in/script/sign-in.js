import { call, nextPlace } from "./call.js";
import { busy, byId, make, onClick, onSubmit, showProblem, showStep } from "./page.js";
import { askPasskey, knowsPasskeys, offerInField } from "./passkeys.js";

let signInToken = null;
let organizationId = null;
/** The address that was last asked about, and what its domain wants. */
let asked = { email: null, sso: null };

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
async function askMethods() {
  const email = byId("email").value.trim();
  if (email === asked.email || !byId("email").validity.valid || email === "") return;
  asked = { email, sso: null };
  const { sso_url: url, sso_required: required } = await call("auth/sign_in/methods", { email });
  if (byId("email").value.trim() !== email) return;
  asked.sso = url === null ? null : { url, required };
  byId("sso-part").hidden = url === null;
  byId("password-part").hidden = url !== null && required;
  byId("owner-part").hidden = url === null || !required;
  byId("sso-hint").textContent = required
    ? `${domainOf(email)} signs in at its own identity provider.`
    : `${domainOf(email)} can sign in at its own identity provider, too.`;
}

const domainOf = (email) => email.slice(email.lastIndexOf("@") + 1);

/** A script of ours names the place, and it is on this site. */
function goToSso() {
  const url = new URL(asked.sso.url, location.origin);
  url.searchParams.set("next", nextPlace());
  location.assign(url);
}

byId("email").addEventListener("change", () => askMethods().catch(() => {}));

onSubmit(
  "password-form",
  "message",
  async () => {
    organizationId = null;
    await askMethods().catch(() => {});
    if (asked.sso?.required && byId("password-part").hidden) return goToSso();
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
  byId("password-part").hidden = false;
  byId("owner-part").hidden = true;
  byId("password").focus();
});

if (knowsPasskeys) {
  byId("passkey-part").hidden = false;
  const offerPasskey = () =>
    offerInField((response) => withPasskey(response).catch((error) => showProblem("message", error)));
  let offered = await offerPasskey();
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
}
if (byId("email").value === "") byId("email").focus();
