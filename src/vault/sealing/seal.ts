import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { MasterKey } from "./key-ring.ts";

const algorithm = "aes-256-gcm";
const ivBytes = 12;
// Without an explicit length, Node accepts a tag truncated to 4 bytes.
const tagBytes = 16;

/** The same error for every cause: wrong key, wrong context or damage. */
export class SealBroken extends Error {
  constructor() {
    super("A sealed record cannot be opened.");
  }
}

/** Returns nonce, tag and ciphertext in one text. `context` is authenticated but not included. */
export function encrypt(key: Buffer, text: string, context: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

export function decrypt(key: Buffer, encrypted: string, context: string): string {
  const bytes = Buffer.from(encrypted, "base64url");
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
}

/** A sealed text opens only in the context it was sealed for: `context` names table, row and tenant. */
export interface Seal {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
}

/** Seals with the master key itself. `find` returns the keys that sealed before. */
export function createSeal(master: MasterKey, find: (id: string) => MasterKey | null = () => null): Seal {
  return {
    seal: (text, context) => `v1.${master.id}.${encrypt(bytesOf(master), text, context)}`,
    open(sealed, context) {
      const [version, keyId = "", text = ""] = sealed.split(".");
      const key = keyId === master.id ? master : find(keyId);
      if (version !== "v1" || !key) throw new Error("Sealed with a key that is not in use here.");
      return decrypt(bytesOf(key), text, context);
    },
  };
}

const bytesOf = (master: MasterKey): Buffer => Buffer.from(master.key.reveal(), "base64");
