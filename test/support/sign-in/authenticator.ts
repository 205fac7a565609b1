import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/**
 * A software passkey, for rules that need no browser: it follows Web Authentication (level 3, 6.5), and can omit
 * required parts on request.
 */
export interface Authenticator {
  create(options: { challenge: string }, changes?: Changes): CreatedPasskey;
  get(options: { challenge: string }, changes?: Changes): AnsweredPasskey;
}

interface Changes {
  origin?: string;
  rpId?: string;
  userVerified?: boolean;
  /** Its counter; one more than before by default. */
  counter?: number;
  type?: string;
  /** Its attestation statement; none by default. */
  attest?: (made: Attested) => { fmt: string; statement: Buffer };
}

/** What an attestation statement is about. */
export interface Attested {
  publicKey: KeyObject;
  privateKey: KeyObject;
  authData: Buffer;
  clientDataHash: Buffer;
}

export interface CreatedPasskey {
  id: string;
  rawId: string;
  type: "public-key";
  clientExtensionResults: Record<string, never>;
  response: { clientDataJSON: string; attestationObject: string; transports: string[] };
}

export interface AnsweredPasskey {
  id: string;
  rawId: string;
  type: "public-key";
  clientExtensionResults: Record<string, never>;
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}

const flags = { present: 0x01, verified: 0x04, attested: 0x40 };

export function createAuthenticator(home = { origin: "http://us.test", rpId: "us.test" }): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(32);
  let counter = 0;

  const clientData = (type: string, challenge: string, changes: Changes): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: changes.type ?? type,
        challenge,
        origin: changes.origin ?? home.origin,
        crossOrigin: false,
      }),
    );
  function authData(changes: Changes, attested: Buffer | null): Buffer {
    counter = changes.counter ?? counter + 1;
    const rpIdHash = createHash("sha256")
      .update(changes.rpId ?? home.rpId)
      .digest();
    const verified = changes.userVerified === false ? 0 : flags.verified;
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter);
    return Buffer.concat([
      rpIdHash,
      Buffer.from([flags.present | verified | (attested ? flags.attested : 0)]),
      counted,
      attested ?? Buffer.alloc(0),
    ]);
  }
  const common = {
    id: credentialId.toString("base64url"),
    rawId: credentialId.toString("base64url"),
    type: "public-key" as const,
    clientExtensionResults: {},
  };

  return {
    create({ challenge }, changes = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const coseKey = cborMap([
        [cborInteger(1), cborInteger(2)],
        [cborInteger(3), cborInteger(-7)],
        [cborInteger(-1), cborInteger(1)],
        [cborInteger(-2), cborBytes(Buffer.from(x, "base64url"))],
        [cborInteger(-3), cborBytes(Buffer.from(y, "base64url"))],
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey]);
      const client = clientData("webauthn.create", challenge, changes);
      const data = authData(changes, attested);
      const clientDataHash = createHash("sha256").update(client).digest();
      const { fmt, statement } = changes.attest?.({ publicKey, privateKey, authData: data, clientDataHash }) ?? {
        fmt: "none",
        statement: cborMap([]),
      };
      const attestationObject = cborMap([
        [cborText("fmt"), cborText(fmt)],
        [cborText("attStmt"), statement],
        [cborText("authData"), cborBytes(data)],
      ]);
      return {
        ...common,
        response: {
          clientDataJSON: client.toString("base64url"),
          attestationObject: attestationObject.toString("base64url"),
          transports: ["internal"],
        },
      };
    },
    get({ challenge }, changes = {}) {
      const client = clientData("webauthn.get", challenge, changes);
      const data = authData(changes, null);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return {
        ...common,
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: sign("sha256", signed, privateKey).toString("base64url"),
        },
      };
    },
  };
}

/** The part of CBOR (RFC 8949) that this file needs. */
function cborHead(major: number, number: number): Buffer {
  if (number < 24) return Buffer.from([(major << 5) | number]);
  if (number < 256) return Buffer.from([(major << 5) | 24, number]);
  return Buffer.from([(major << 5) | 25, number >> 8, number & 255]);
}
export const cborInteger = (number: number): Buffer => (number < 0 ? cborHead(1, -1 - number) : cborHead(0, number));
export const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes]);
export const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
export const cborMap = (pairs: [Buffer, Buffer][]): Buffer =>
  Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()]);
export const cborList = (items: Buffer[]): Buffer => Buffer.concat([cborHead(4, items.length), ...items]);
