import { createCipheriv, hash, hkdfSync, timingSafeEqual } from "node:crypto";
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

const ivBytes = 16;
const secretBytes = 43;

/**
 * Encrypts the secret part of a code. The IV is a keyed hash of the whole code (as SIV, RFC 5297, does it): one code has one hidden
 * form, by which its row is found, and the hash proves that the form is whole. An IV repeats only if a code does, and codes have
 * 256 random bits.
 *
 * No object of the crypto library is made for a code, because one costs more than all that is done with it. So the hash is SHA-256
 * with the key as its first block, over texts of one length; and the counter mode is written out over one AES cipher for blocks.
 */
export function createCodeHider(key: Buffer): CodeHider {
  const derived = (use: string) => Buffer.from(hkdfSync("sha256", key, "", `invite code ${use}`, 32));
  const hashKey = derived("hash").toString("hex");
  const blockCipher = createCipheriv("aes-256-ecb", derived("seal"), null);
  const ivOf = (code: string): Buffer => hash("sha256", hashKey + code, "buffer").subarray(0, ivBytes);

  function keyStream(iv: Buffer): Buffer {
    const counters = Buffer.concat([iv, iv, iv]);
    for (const number of [1, 2]) {
      const last = number * ivBytes + ivBytes - 1;
      counters.writeUInt8(counters.readUInt8(last) ^ number, last);
    }
    return blockCipher.update(counters);
  }

  return {
    hide(code) {
      const [, head, secret] = codeShape.exec(code) ?? [];
      if (head === undefined || secret === undefined) return null;
      const iv = ivOf(code);
      const bytes = Buffer.concat([iv, Buffer.from(secret, "latin1")]);
      combine(bytes, keyStream(iv));
      return `${head}.${bytes.toString("base64url")}`;
    },
    show(hidden) {
      const [, head, text] = hiddenShape.exec(hidden) ?? [];
      if (head === undefined || text === undefined) return null;
      const bytes = Buffer.from(text, "base64url");
      const iv = bytes.subarray(0, ivBytes);
      combine(bytes, keyStream(iv));
      const code = head + bytes.toString("latin1", ivBytes);
      if (!timingSafeEqual(ivOf(code), iv)) throw new SealBroken();
      return code;
    },
  };
}

/** Encrypts what follows the IV, or decrypts it. */
function combine(bytes: Buffer, stream: Buffer): void {
  for (let at = 0; at < secretBytes; at++)
    bytes.writeUInt8(bytes.readUInt8(ivBytes + at) ^ stream.readUInt8(at), ivBytes + at);
}
