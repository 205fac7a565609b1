import { hash, hkdfSync, timingSafeEqual } from "node:crypto";
import { base62Of } from "../../kernel/random.ts";

/** Region, time, which keeps lists in order, and 21 random characters: this half is stored. The other 22 are the secret of the code. */
const codeShape = /^(inv_[a-z]{2}_[0-9a-z]{14}[0-9A-Za-z]{21})([0-9A-Za-z]{22})$/;
const storedShape = /^inv_[a-z]{2}_[0-9a-z]{14}[0-9A-Za-z]{21}$/;

export const isStoredForm = (text: string): boolean => storedShape.test(text);

export interface HalfCodes {
  /** Gives a new code the secret that belongs to its first half. */
  complete(code: string): { code: string; stored: string };
  /** What the store keeps of a code; null if its secret is not the one that belongs to its first half. */
  storedOf(code: string): string | null;
  /** The code whose first half this is. */
  codeOf(stored: string): string;
}

const secretCharacters = 22;

/**
 * The store keeps the first half of a code. The second is a keyed hash of the first, so only the holder of the key can tell it: nothing
 * is encrypted, and the same code always has the same row. The hash is SHA-256 with the key as its first block, over texts of one
 * length: an object for HMAC costs more than all that is done with it.
 */
export function createHalfCodes(key: Buffer): HalfCodes {
  const hashKey = Buffer.from(hkdfSync("sha256", key, "", "secret of an invite code", 32)).toString("hex");
  const secretOf = (half: string): string => base62Of(hash("sha256", hashKey + half, "buffer"), secretCharacters);
  return {
    complete(code) {
      const half = code.slice(0, -secretCharacters);
      return { code: half + secretOf(half), stored: half };
    },
    storedOf(code) {
      const [, half, secret] = codeShape.exec(code) ?? [];
      if (half === undefined || secret === undefined) return null;
      return timingSafeEqual(Buffer.from(secretOf(half)), Buffer.from(secret)) ? half : null;
    },
    codeOf: (half) => half + secretOf(half),
  };
}
