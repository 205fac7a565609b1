import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Self-signed certificates: just enough of X.509 for a SAML provider in tests. */

export interface TestCertificate {
  pem: string;
  privateKey: KeyObject;
  privatePem: string;
}

export function newCertificate(options: { bits?: number; validTo?: Date } = {}): TestCertificate {
  const pair = generateKeyPairSync("rsa", { modulusLength: options.bits ?? 2048 });
  const spki = pair.publicKey.export({ type: "spki", format: "der" });
  const sha256WithRsa = sequence(oid("2a864886f70d01010b"), Buffer.from([0x05, 0x00]));
  const name = sequence(set(sequence(oid("550403"), tagged(0x0c, Buffer.from("test provider")))));
  const until = options.validTo ?? new Date(Date.now() + 365 * 86_400_000);
  const validity = sequence(time(new Date(Date.now() - 2 * 365 * 86_400_000)), time(until));
  const serial = tagged(0x02, Buffer.from([1]));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    serial,
    sha256WithRsa,
    name,
    validity,
    name,
    spki,
  );
  const signature = sign("sha256", body, pair.privateKey);
  const whole = sequence(body, sha256WithRsa, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n");
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    privateKey: pair.privateKey,
    privatePem: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

export const publicPemOf = (privatePem: string): string =>
  createPublicKey(createPrivateKey(privatePem)).export({ type: "spki", format: "pem" }).toString();

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, "hex"));
const time = (at: Date): Buffer => tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`));
