import { randomFillSync } from "node:crypto";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// One system call fills the pool for some hundred ids; asking for each byte string alone costs twenty times as much.
const pool = Buffer.allocUnsafe(8192);
let position = pool.length;

/** The next random byte. Each byte is used once and wiped. */
export function randomByte(): number {
  if (position === pool.length) {
    randomFillSync(pool);
    position = 0;
  }
  const byte = pool[position] as number;
  pool[position++] = 0;
  return byte;
}

/** 43 characters hold 256 bits. Bytes above 247 are dropped, so that every character is equally likely. */
export function randomBase62(characters: number): string {
  let text = "";
  while (text.length < characters) {
    const byte = randomByte();
    if (byte < 248) text += base62[byte % 62];
  }
  return text;
}

/** One character for each byte. Eight of the 62 are a little likelier than the others, so 22 characters hold at least 125 bits. */
export function base62Of(bytes: Uint8Array, characters: number): string {
  let text = "";
  for (let at = 0; at < characters; at++) text += base62[(bytes[at] as number) % 62];
  return text;
}

const legible = "abcdefghijkmnpqrstuvwxyz23456789";

/** Groups separated by hyphens, for reading aloud and typing: five bits a character, without look-alikes. */
export function randomGroups(groups: number, characters: number): string {
  const group = () => Array.from({ length: characters }, () => legible[randomByte() & 31]).join("");
  return Array.from({ length: groups }, group).join("-");
}

/** A whole number in base 62, left-padded with zeros. */
export function toBase62(number: number, characters: number): string {
  let text = "";
  for (let rest = number; text.length < characters; rest = Math.floor(rest / 62)) text = base62[rest % 62] + text;
  return text;
}
