import { hash, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Secret } from "../kernel/secret.ts";

/** The key that everything sealed at rest hangs on, with a name that tells it from its predecessors. */
export interface MasterKey {
  id: string;
  key: Secret;
}

/** The name is made of the key itself, so that the same key has the same name on every node. */
export function masterKeyFrom(base64: string): MasterKey {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length !== 32) throw new Error("The master key must be 32 bytes in base64 (openssl rand -base64 32).");
  return { id: hash("sha256", bytes, "hex").slice(0, 12), key: new Secret(bytes.toString("base64")) };
}

/** A machine that was just set up has no key: one is made in its data folder, readable by its owner alone. */
export function masterKeyInFolder(home: string): MasterKey {
  const file = join(home, "master.key");
  if (!existsSync(file)) writeOnce(file, `${randomBytes(32).toString("base64")}\n`);
  return masterKeyFrom(readFileSync(file, "utf8").trim());
}

/** Of two processes that start at once, one file wins whole, and both read that one. */
function writeOnce(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(draft);
  }
}
