import { linkSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/stores.ts";
import { beginKeyRotation, endKeyRotation, keyRingInFolder, masterKeyFrom, masterKeyInFolder } from "./key-ring.ts";

const base64 = Buffer.alloc(32, 5).toString("base64");

describe("a master key", () => {
  test("has an id derived from the key: the same on every node, different for each key", () => {
    const { id, key } = masterKeyFrom(base64);
    expect(masterKeyFrom(base64).id).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(masterKeyFrom(Buffer.alloc(32, 6).toString("base64")).id).not.toBe(id);
    expect(key.reveal()).toBe(base64);
  });

  test.each([
    ["nothing", ""],
    ["a word", "password"],
    ["31 bytes", Buffer.alloc(31).toString("base64")],
    ["33 bytes", Buffer.alloc(33).toString("base64")],
    ["32 bytes in hexadecimal", Buffer.alloc(32, 5).toString("hex")],
  ])("%s is refused with a sentence on how to make one", (_name, text) => {
    expect(() => masterKeyFrom(text)).toThrow("32 bytes in base64 (openssl rand -base64 32)");
  });

  test("does not print itself", () => {
    expect(inspect(masterKeyFrom(base64)) + JSON.stringify(masterKeyFrom(base64))).not.toContain(base64.slice(0, 20));
  });
});

describe("a new machine", () => {
  test("creates one key in its data folder, readable by its owner only, and keeps it", () => {
    const home = join(temporaryFolder(), "not", "there", "yet");
    const first = masterKeyInFolder(home);
    expect(masterKeyInFolder(home)).toEqual(first);
    expect(masterKeyInFolder(home).key.reveal()).toBe(first.key.reveal());
    expect(statSync(join(home, "master.key")).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(["master.key"]);
  });

  test("does not replace an existing key, even one it cannot read", () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "master.key"), `${base64}\n`);
    expect(masterKeyInFolder(home).key.reveal()).toBe(base64);
    writeFileSync(join(home, "master.key"), "damaged");
    expect(() => masterKeyInFolder(home)).toThrow();
    expect(readFileSync(join(home, "master.key"), "utf8")).toBe("damaged");
  });

  test("two machines make two keys", () => {
    expect(masterKeyInFolder(temporaryFolder()).id).not.toBe(masterKeyInFolder(temporaryFolder()).id);
  });
});

describe("replacing the key of a data folder", () => {
  test("the old key stays until it is not needed, and a running process finds the new one", () => {
    const home = temporaryFolder();
    const running = keyRingInFolder(home);
    const { previous, next } = beginKeyRotation(home);
    expect(previous.id).toBe(running.current.id);
    expect(running.find(next.id)?.key.reveal()).toBe(next.key.reveal());
    expect(running.find("unknown")).toBeNull();
    const later = keyRingInFolder(home);
    expect([later.current.id, later.find(previous.id)?.id]).toEqual([next.id, previous.id]);
    expect(statSync(join(home, "master.key")).mode & 0o777).toBe(0o600);
    endKeyRotation(home);
    expect(keyRingInFolder(home).find(previous.id)).toBeNull();
    expect(readdirSync(home)).toEqual(["master.key"]);
  });

  test("an interrupted replacement continues with the same keys, wherever it stopped", () => {
    const home = temporaryFolder();
    masterKeyInFolder(home);
    const first = beginKeyRotation(home);
    expect(beginKeyRotation(home)).toEqual(first);
    // Interrupted after the old key was copied and before the new one took its name.
    renameSync(join(home, "master.key"), join(home, "master.key.next"));
    linkSync(join(home, "master.key.old"), join(home, "master.key"));
    const again = beginKeyRotation(home);
    expect([again.previous.id, again.next.id]).toEqual([first.previous.id, first.next.id]);
  });
});
