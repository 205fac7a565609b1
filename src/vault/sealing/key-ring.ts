import { hash, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Secret } from "../../kernel/secret.ts";

/** The key that everything sealed at rest hangs on, with a name that tells it from its predecessors. */
export interface MasterKey {
  id: string;
  key: Secret;
}

/** The master keys this process knows: one that seals, and others that still open what they sealed. */
export interface KeyRing {
  current: MasterKey;
  find(id: string): MasterKey | null;
}

/** The name is made of the key itself, so that the same key has the same name on every node. */
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
 * The keys in a data folder. A key that is not known is looked for in the folder once more: a rotation beside a running
 * server has put it there.
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

/** A machine that was just set up has no key: one is made in its data folder, readable by its owner alone. */
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
 * Puts a new key in the place of the present one, which stays beside it until `endKeyRotation`. Where an earlier rotation
 * was cut short, it goes on with that one's keys instead of making a third.
 */
export function beginKeyRotation(home: string): { previous: MasterKey; next: MasterKey } {
  const file = masterKeyFile(home);
  if (!existsSync(previousKeyFile(home))) {
    const next = `${file}.next`;
    if (!existsSync(next)) writeOnce(next, newKeyText());
    linkSync(file, previousKeyFile(home));
    renameSync(next, file);
  } else if (existsSync(`${file}.next`)) {
    // It was cut between the two: the old key is beside its own copy, and the new one not yet in context.
    renameSync(`${file}.next`, file);
  }
  return { previous: readKey(previousKeyFile(home)), next: readKey(file) };
}

/** Nothing is wrapped by the previous key any longer. */
export const endKeyRotation = (home: string): void => unlinkSync(previousKeyFile(home));

const newKeyText = (): string => `${randomBytes(32).toString("base64")}\n`;
const readKey = (file: string): MasterKey => masterKeyFrom(readFileSync(file, "utf8").trim());

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
