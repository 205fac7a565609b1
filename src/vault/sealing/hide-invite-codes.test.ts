import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../../test/support/stores.ts";
import { newInviteCode } from "../../kernel/ids.ts";
import { knownMigrations, refuseOlder } from "../../store/migrate.ts";
import { oldestBeside } from "../../store/previous-version.ts";
import { createDataKeys } from "./data-keys.ts";
import { createInviteCodes } from "./hide-invite-codes.ts";
import { type KeyRing, keyRingOf, masterKeyFrom } from "./key-ring.ts";

const keyOf = (byte: number) => masterKeyFrom(Buffer.alloc(32, byte).toString("base64"));
const [oldKey, newKey] = [keyOf(1), keyOf(2)];
const now = () => new Date();

describeOnBothStores("the stored form of a code", (kind) => {
  async function open(store = newStore(kind), ring: KeyRing = keyRingOf(oldKey)) {
    const codes = createInviteCodes({ store: await store, ring, now });
    await codes.refresh();
    return { store: await store, codes };
  }

  test("is the same on every node, holds region and time, and shows the code to who has the key", async () => {
    const { store, codes } = await open();
    const { code, stored } = codes.create("us");
    expect(stored).toBe(code.slice(0, 42));
    expect(code).toMatch(/^inv_us_\w{57}$/);
    expect(codes.shown(stored)).toBe(code);
    const { codes: other } = await open(Promise.resolve(store));
    expect(other.storedOf(code)).toBe(stored);
    expect(other.shown(stored)).toBe(code);
    // Another store has another key, and neither knows the other's codes.
    const { codes: elsewhere } = await open();
    expect(elsewhere.shown(stored)).not.toBe(code);
    expect(elsewhere.storedOf(code)).toBe(code);
  });

  test("is never taken for a code, and other texts pass as they are", async () => {
    const { codes } = await open();
    const { stored } = codes.create("us");
    expect(codes.storedOf(stored)).toBeNull();
    for (const text of ["", "inv_us_1", "x", newInviteCode("us").slice(0, -1)]) {
      expect(codes.storedOf(text)).toBe(text);
      expect(codes.shown(text)).toBe(text);
    }
    const { code } = codes.create("us");
    const guessed = code.slice(0, -1) + (code.endsWith("A") ? "B" : "A");
    expect(codes.storedOf(guessed)).toBe(guessed);
    const moved = code.replace("inv_us", "inv_eu");
    expect(codes.storedOf(moved)).toBe(moved);
  });

  test("stays readable when the master key is replaced", async () => {
    const { store, codes } = await open();
    const { code, stored } = codes.create("us");
    const ring = keyRingOf(newKey, oldKey);
    await createDataKeys({ ring, region: "us", now }).rewrap(store, newKey);
    const { codes: later } = await open(Promise.resolve(store), keyRingOf(newKey));
    expect([later.shown(stored), later.storedOf(code)]).toEqual([code, stored]);
    await expect(open(Promise.resolve(store), keyRingOf(oldKey))).rejects.toThrow("SIGNALBOX_MASTER_KEY_OLD");
  });

  // On SQLite, no older program can open the file.
  test.runIf(kind === "postgres")("begins once no node of the previous version can start any more", async () => {
    const { store } = await open();
    const newest = knownMigrations().at(-1)?.number ?? 0;
    await store.transaction((db) => db.query("update schema_promises set oldest = $1", [oldestBeside]));
    try {
      const { codes } = await open(Promise.resolve(store));
      const { code, stored } = codes.create("us");
      expect(stored).toBe(code);
      await refuseOlder(store);
      const { codes: restarted } = await open(Promise.resolve(store));
      const hidden = restarted.create("us");
      expect(hidden.stored).not.toBe(hidden.code);
      // The other node does not know of it yet, and understands both.
      expect(codes.shown(hidden.stored)).toBe(hidden.code);
      expect(restarted.storedOf(code)).toBe(code);
      await codes.refresh();
      expect(codes.create("us").stored).toHaveLength(42);
    } finally {
      await store.transaction((db) => db.query("update schema_promises set oldest = $1", [newest]));
    }
  });

  // The previous version rotates the master key without a key that it does not know.
  test.runIf(kind === "postgres")("a key that was lost before it was used is replaced", async () => {
    const { store } = await open();
    const newest = knownMigrations().at(-1)?.number ?? 0;
    await store.transaction((db) => db.query("update schema_promises set oldest = $1", [oldestBeside]));
    try {
      await store.transaction((db) => db.query("update master_key set key_id = $1", [newKey.id]));
      const { codes } = await open(Promise.resolve(store), keyRingOf(newKey));
      expect(codes.shown(newInviteCode("us").slice(0, 42))).toMatch(/^inv_us_\w{57}$/);
    } finally {
      await store.transaction((db) => db.query("update schema_promises set oldest = $1", [newest]));
    }
  });
});
