import { createHmac, timingSafeEqual } from "node:crypto";
import { randomByte } from "../../kernel/random.ts";

/**
 * One-time codes by RFC 6238 with the defaults of all authenticator apps: SHA-1, six digits, thirty seconds. Written by hand, because
 * it is one HMAC of `node:crypto`, and a package would be one more that sees the secrets.
 */

const stepSeconds = 30;
const digits = 6;
/** A clock can be one step ahead or behind. */
const stepsApart = [0, -1, 1];
const secretBytes = 20;
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const newTotpSecret = (): string => toBase32(Uint8Array.from({ length: secretBytes }, () => randomByte()));

export const stepAt = (time: Date): number => Math.floor(time.getTime() / 1000 / stepSeconds);

export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, "0");
}

/** The time step of the code, or null if the code is not valid now. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  const given = Buffer.from(code);
  let found: number | null = null;
  for (const apart of stepsApart) {
    const step = stepAt(now) + apart;
    const right = Buffer.from(codeAt(secret, step));
    if (given.length === right.length && timingSafeEqual(given, right)) found ??= step;
  }
  return found;
}

/** The key URI for an authenticator app: issuer, account and secret. */
export function totpUri(secret: string, account: string): string {
  const label = encodeURIComponent(`Signalbox:${account}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=Signalbox`;
}

export function toBase32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => base32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function fromBase32(text: string): Buffer {
  let bits = "";
  for (const character of text) bits += base32.indexOf(character).toString(2).padStart(5, "0");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
