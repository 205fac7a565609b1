import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, timingSafeEqual } from "node:crypto";
import { SealBroken } from "./seal.ts";

/** Everything before the dot is in both forms: region and time, which are no secret and keep lists in order. */
const codeShape = /^(inv_[a-z]{2}_[0-9a-z]{14})([0-9A-Za-z]{43})$/;
const hiddenShape = /^(inv_[a-z]{2}_[0-9a-z]{14})\.([\w-]{79})$/;

export const isHidden = (text: string): boolean => hiddenShape.test(text);

export interface CodeHider {
  /** Null if the text is not a code. */
  hide(code: string): string | null;
  /** Null if the text is not a hidden code; throws if it was hidden with another key, or changed. */
  show(hidden: string): string | null;
}

const algorithm = "aes-256-ctr";
const ivBytes = 16;

/**
 * Encrypts the secret part of a code. The IV is a keyed hash of the whole code (as SIV, RFC 5297, does it): one code has one hidden
 * form, by which its row is found, and the hash proves that the form is whole. An IV repeats only if a code does, and codes have
 * 256 random bits.
 */
export function createCodeHider(key: Buffer): CodeHider {
  const derived = (use: string) => createSecretKey(Buffer.from(hkdfSync("sha256", key, "", `invite code ${use}`, 32)));
  const [hashKey, sealKey] = [derived("hash"), derived("seal")];
  const ivOf = (code: string): Buffer => createHmac("sha256", hashKey).update(code).digest().subarray(0, ivBytes);
  return {
    hide(code) {
      const [, head, secret] = codeShape.exec(code) ?? [];
      if (head === undefined || secret === undefined) return null;
      const iv = ivOf(code);
      const sealed = createCipheriv(algorithm, sealKey, iv).update(secret, "latin1");
      return `${head}.${Buffer.concat([iv, sealed]).toString("base64url")}`;
    },
    show(hidden) {
      const [, head, text] = hiddenShape.exec(hidden) ?? [];
      if (head === undefined || text === undefined) return null;
      const bytes = Buffer.from(text, "base64url");
      const iv = bytes.subarray(0, ivBytes);
      const code = head + createDecipheriv(algorithm, sealKey, iv).update(bytes.subarray(ivBytes), undefined, "latin1");
      if (!timingSafeEqual(ivOf(code), iv)) throw new SealBroken();
      return code;
    },
  };
}
