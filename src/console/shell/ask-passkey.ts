import type { InputOf } from "../../client/wire.ts";
import { callFor } from "../state/call-for.ts";

/** Passkeys: the API speaks JSON, the browser speaks bytes. */

/** A passkey belongs to a name, so there are none where the address is a number. */
export const knowsPasskeys = (): boolean =>
  "PublicKeyCredential" in window && !/^[\d.]+$|:/.test(window.location.hostname);

/** What one of the person's passkeys answers, as the API takes it. */
export async function askPasskey(): Promise<InputOf<"/latest/auth/confirm/passkey">["response"]> {
  const { options } = await callFor(null)("/latest/auth/sign_in/passkey/begin", {});
  const asked = options as { challenge: string } & Record<string, unknown>;
  const publicKey = { ...asked, challenge: toBytes(asked.challenge), allowCredentials: [] };
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature } = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: toText(clientDataJSON),
      authenticatorData: toText(authenticatorData),
      signature: toText(signature),
    },
  };
}

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
