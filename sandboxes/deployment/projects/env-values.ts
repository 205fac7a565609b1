import { createCipheriv, createHash } from "node:crypto";
import type { EnvVariable } from "../records.ts";

const key = createHash("sha256").update("signalbox deployment sandbox").digest();

/** What stands in a list for an encrypted value: real ciphertext, of no use to the reader. */
export function ciphertext({ id, value, updatedAt }: EnvVariable): string {
  const iv = createHash("md5").update(`${id} ${updatedAt}`).digest();
  const cipher = createCipheriv("aes-256-ctr", key, iv);
  const content = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]).toString("base64");
  return Buffer.from(JSON.stringify({ v: "v2", c: content, i: iv.toString("hex") })).toString("base64");
}

/** A sensitive value is write-only; an encrypted one is shown to who asks for it by name or with `decrypt`. */
function shownValue(variable: EnvVariable, isDecrypted: boolean): { value: string; decrypted: boolean } {
  if (variable.type === "sensitive") return { value: "", decrypted: false };
  if (variable.type === "encrypted" && !isDecrypted) return { value: ciphertext(variable), decrypted: false };
  return { value: variable.value, decrypted: variable.type === "encrypted" };
}

export function viewVariable(variable: EnvVariable, isDecrypted = false): object {
  const { gitBranch, comment } = variable;
  return {
    id: variable.id,
    key: variable.key,
    ...shownValue(variable, isDecrypted),
    type: variable.type,
    target: variable.target,
    ...(gitBranch !== null && { gitBranch }),
    ...(comment !== null && { comment }),
    createdAt: variable.createdAt,
    updatedAt: variable.updatedAt,
    createdBy: variable.createdBy,
    updatedBy: variable.updatedBy,
    configurationId: variable.configurationId,
    customEnvironmentIds: [],
    securityIssues: [],
  };
}
