import { Refusal } from "./refusal.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Opaque to callers, like the vendor's: base 32 with its padding, and a checksum so that a made-up one is refused. */
export function writePageToken(kind: string, ...numbers: number[]): string {
  const text = [kind, ...numbers].join(":");
  return toBase32(Buffer.from(`${text}:${checksum(text)}`));
}

/** The numbers inside, or the refusal of a token that is not ours or belongs to another kind of list. */
export function readPageToken(token: string, kind: string): number[] {
  const parts = fromBase32(token).toString("latin1").split(":");
  const sum = parts.pop();
  const isOurs = parts[0] === kind && sum === checksum(parts.join(":"));
  if (!isOurs) throw new Refusal("1003", "Invalid next page token");
  return parts.slice(1).map(Number);
}

function checksum(text: string): string {
  let sum = 7;
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) % 65_521;
  return sum.toString(36);
}

function toBase32(bytes: Buffer): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  let text = "";
  for (let at = 0; at < bits.length; at += 5) {
    text += alphabet[Number.parseInt(bits.slice(at, at + 5).padEnd(5, "0"), 2)];
  }
  return text.padEnd(Math.ceil(text.length / 8) * 8, "=");
}

function fromBase32(text: string): Buffer {
  let bits = "";
  for (const letter of text.replace(/=+$/, "")) {
    const value = alphabet.indexOf(letter);
    if (value < 0) return Buffer.alloc(0);
    bits += value.toString(2).padStart(5, "0");
  }
  const bytes: number[] = [];
  for (let at = 0; at + 8 <= bits.length; at += 8) bytes.push(Number.parseInt(bits.slice(at, at + 8), 2));
  return Buffer.from(bytes);
}
