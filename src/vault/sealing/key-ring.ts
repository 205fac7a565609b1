import { hash, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Secret } from "../../kernel/secret.ts";
import { syncFolder } from "../../kernel/sync-folder.ts";

/** The key that wraps all data keys. Its id tells it from its predecessors. */
export interface MasterKey {
  id: string;
  key: Secret;
}

/** The master keys that this process knows: one that seals, and older ones that still open. */
export interface KeyRing {
  current: MasterKey;
  find(id: string): MasterKey | null;
}

/** The id derives from the key, so that it is the same on every node. */
export function masterKeyFrom(base64: string): MasterKey {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length !== 32) throw new Error("The master key must be 32 bytes in base64 (openssl rand -base64 32).");
  return { id: hash("sha256", bytes, "hex").slice(0, 12), key: new Secret(bytes.toString("base64")) };
}

export const keyRingOf = (current: MasterKey, ...others: MasterKey[]): KeyRing => ({
  current,
  find: (id) => [current, ...others].find((key) => key.id === id) ?? null,
});

/**
 * The keys in a data folder. An unknown key is looked up in the folder once more: a rotation beside a running server
 * may have added it.
 */
export function keyRingInFolder(home: string): KeyRing {
  const current = masterKeyInFolder(home);
  const others = [...previousKeyInFolder(home)];
  return {
    current,
    find(id) {
      const known = [current, ...others].find((key) => key.id === id);
      if (known) return known;
      const found = [masterKeyInFolder(home), ...previousKeyInFolder(home)].find((key) => key.id === id);
      if (found) others.push(found);
      return found ?? null;
    },
  };
}

export const hasKeyInFolder = (home: string): boolean => existsSync(masterKeyFile(home));

const masterKeyFile = (home: string): string => join(home, "master.key");
const previousKeyFile = (home: string): string => join(home, "master.key.old");

/** A new machine has no key: one is created in its data folder, readable by its owner only. */
export function masterKeyInFolder(home: string): MasterKey {
  const file = masterKeyFile(home);
  if (!existsSync(file)) writeOnce(file, newKeyText());
  return readKey(file);
}

function previousKeyInFolder(home: string): MasterKey[] {
  const file = previousKeyFile(home);
  return existsSync(file) ? [readKey(file)] : [];
}

/**
 * Replaces the current key. The old one stays beside it until `endKeyRotation`. A rotation that was interrupted
 * continues with its own keys instead of making a third.
 */
export function beginKeyRotation(home: string): { previous: MasterKey; next: MasterKey } {
  const file = masterKeyFile(home);
  if (!existsSync(previousKeyFile(home))) {
    const next = `${file}.next`;
    if (!existsSync(next)) writeOnce(next, newKeyText());
    linkSync(file, previousKeyFile(home));
    // The old key has its second name before it loses the first one.
    syncFolder(home);
    renameSync(next, file);
  } else if (existsSync(`${file}.next`)) {
    // Interrupted between the two steps: the old key is already copied, and the new one not yet in use.
    renameSync(`${file}.next`, file);
  }
  // From here on, secrets need the new key.
  syncFolder(home);
  return { previous: readKey(previousKeyFile(home)), next: readKey(file) };
}

/** Call it once the previous key wraps nothing any more. */
export const endKeyRotation = (home: string): void => unlinkSync(previousKeyFile(home));

const newKeyText = (): string => `${randomBytes(32).toString("base64")}\n`;
const readKey = (file: string): MasterKey => masterKeyFrom(readFileSync(file, "utf8").trim());

/** Of two processes that start at once, one writes the whole file, and both read it. It is on disk before a secret needs it. */
function writeOnce(file: string, text: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(folder);
}
