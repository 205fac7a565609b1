import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Certificates: just enough of X.509 for a SAML provider, and for TLS servers with an authority of their own. */

export interface TestCertificate {
  pem: string;
  der: Buffer;
  subject: string;
  privateKey: KeyObject;
  privatePem: string;
}

interface CertificateOptions {
  bits?: number;
  validTo?: Date;
  /** Self-signed without one. */
  issuer?: TestCertificate;
  subject?: string;
  /** The host names of a server. */
  names?: readonly string[];
  /** Others may be signed with it. */
  isAuthority?: boolean;
  /** The key of the subject; a new one by default. */
  publicKey?: KeyObject;
  /** More extensions, each with its identifier. */
  extensions?: readonly Buffer[];
}

export function newCertificate(options: CertificateOptions = {}): TestCertificate {
  const pair = generateKeyPairSync("rsa", { modulusLength: options.bits ?? 2048 });
  const spki = (options.publicKey ?? pair.publicKey).export({ type: "spki", format: "der" });
  const sha256WithRsa = sequence(oid("2a864886f70d01010b"), Buffer.from([0x05, 0x00]));
  const subject = options.subject ?? "test provider";
  const issuer = options.issuer ?? { subject, privateKey: pair.privateKey };
  const until = options.validTo ?? new Date(Date.now() + 365 * 86_400_000);
  const validity = sequence(time(new Date(Date.now() - 2 * 365 * 86_400_000)), time(until));
  const serial = tagged(0x02, Buffer.from([options.issuer ? 2 : 1]));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    serial,
    sha256WithRsa,
    nameOf(issuer.subject),
    validity,
    nameOf(subject),
    spki,
    ...extensionsOf(options),
  );
  const signature = sign("sha256", body, issuer.privateKey);
  const whole = sequence(body, sha256WithRsa, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n");
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    der: whole,
    subject,
    privateKey: pair.privateKey,
    privatePem: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const nameOf = (subject: string): Buffer => sequence(set(sequence(oid("550403"), tagged(0x0c, Buffer.from(subject)))));

/** Basic constraints and alternative names (RFC 5280, 4.2.1.9 and 4.2.1.6). */
function extensionsOf({ isAuthority, names = [], extensions = [] }: CertificateOptions): Buffer[] {
  const isTrue = tagged(0x01, Buffer.from([0xff]));
  const found = [
    ...(isAuthority ? [sequence(oid("551d13"), isTrue, tagged(0x04, sequence(isTrue)))] : []),
    ...(names.length > 0
      ? [sequence(oid("551d11"), tagged(0x04, sequence(...names.map((name) => tagged(0x82, Buffer.from(name))))))]
      : []),
    ...extensions,
  ];
  return found.length > 0 ? [tagged(0xa3, sequence(...found))] : [];
}

export const publicPemOf = (privatePem: string): string =>
  createPublicKey(createPrivateKey(privatePem)).export({ type: "spki", format: "pem" }).toString();

export function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
export const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, "hex"));
const time = (at: Date): Buffer => tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`));
