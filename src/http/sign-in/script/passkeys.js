import { call } from "./call.js";

/** Passkeys: the API speaks JSON, the browser speaks bytes. */

const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const toText = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** A passkey belongs to a name, so there are none where the address is a number. */
export const knowsPasskeys = window.PublicKeyCredential !== undefined && !/^[\d.]+$|:/.test(location.hostname);

const common = (credential) => ({
  id: credential.id,
  rawId: toText(credential.rawId),
  type: credential.type,
  clientExtensionResults: {},
});

/** What the passkey answers, for the API. `signal` ends the wait; `mediation` is "conditional" where the browser offers it in a field. */
export async function askPasskey({ signal, mediation } = {}) {
  const { options } = await call("auth/sign_in/passkey/begin");
  const publicKey = { ...options, challenge: toBytes(options.challenge), allowCredentials: [] };
  const credential = await navigator.credentials.get({ publicKey, signal, mediation });
  const { clientDataJSON, authenticatorData, signature } = credential.response;
  return {
    ...common(credential),
    response: {
      clientDataJSON: toText(clientDataJSON),
      authenticatorData: toText(authenticatorData),
      signature: toText(signature),
    },
  };
}

export async function addPasskey(label) {
  const { options } = await call("auth/passkeys/begin");
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: (options.excludeCredentials ?? []).map((each) => ({ ...each, id: toBytes(each.id) })),
  };
  const credential = await navigator.credentials.create({ publicKey });
  const { clientDataJSON, attestationObject } = credential.response;
  const response = {
    ...common(credential),
    response: {
      clientDataJSON: toText(clientDataJSON),
      attestationObject: toText(attestationObject),
      transports: credential.response.getTransports?.() ?? [],
    },
  };
  return call("auth/passkeys/finish", { response, ...(label ? { label } : {}) });
}

/** Offers passkeys where the address is typed, for as long as the page is open. */
export async function offerInField(use) {
  const waiting = new AbortController();
  const isThere = await window.PublicKeyCredential?.isConditionalMediationAvailable?.().catch(() => false);
  if (!knowsPasskeys || !isThere) return waiting;
  askPasskey({ signal: waiting.signal, mediation: "conditional" }).then(use, () => {});
  return waiting;
}
