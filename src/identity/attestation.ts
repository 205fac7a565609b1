import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { Problem } from "../kernel/problem.ts";

/**
 * Replaces the attestation statement of a new passkey with "none". We never ask for one, but some browsers send it anyway (Firefox on
 * Windows), and so does anyone who wants the library to check it: it would trust the sender's own certificates and fetch the
 * revocation lists that they name, before it compares their root with those of the vendor.
 */
export async function dropStatement(response: RegistrationResponseJSON): Promise<RegistrationResponseJSON> {
  const { isoBase64URL, isoCBOR } = await import("@simplewebauthn/server/helpers");
  const authData = await readAuthData(response.response.attestationObject);
  const unattested = new Map<string, string | Uint8Array | Map<string, never>>([
    ["fmt", "none"],
    ["attStmt", new Map<string, never>()],
    ["authData", authData],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(unattested));
  return { ...response, response: { ...response.response, attestationObject } };
}

async function readAuthData(text: string): Promise<Uint8Array> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  try {
    const authData: unknown = decodeAttestationObject(new Uint8Array(Buffer.from(text, "base64url"))).get("authData");
    if (authData instanceof Uint8Array) return authData;
  } catch (cause) {
    // Not CBOR, not a map, or nested too deeply to be read.
    throw new Problem("passkey_unusable", undefined, { cause });
  }
  throw new Problem("passkey_unusable");
}
