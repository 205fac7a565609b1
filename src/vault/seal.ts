import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { MasterKey } from "./key-ring.ts";

const algorithm = "aes-256-gcm";
const ivBytes = 12;
// Without this length spelled out, Node accepts a tag cut down to 4 bytes.
const tagBytes = 16;

/** Sealed text fits only the place it was sealed for: `place` names table, row and tenant, and is authenticated too. */
export interface Seal {
  seal(text: string, place: string): string;
  open(sealed: string, place: string): string;
}

export function createSeal(master: MasterKey): Seal {
  const key = Buffer.from(master.key.reveal(), "base64");
  return {
    seal(text, place) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return `v1.${master.id}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    open(sealed, place) {
      const [version, keyId, text = ""] = sealed.split(".");
      if (version !== "v1" || keyId !== master.id) throw new Error("Sealed with a key that is not in use here.");
      const bytes = Buffer.from(text, "base64url");
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
    },
  };
}
