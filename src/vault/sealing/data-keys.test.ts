import { expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startSandbox, startVault, type TestVault } from "../../../test/support/systems/vault.ts";
import { createDataKeys, missingMasterKey, SealBroken } from "./data-keys.ts";
import { keyRingOf, masterKeyFrom } from "./key-ring.ts";

const keyOf = (byte: number) => masterKeyFrom(Buffer.alloc(32, byte).toString("base64"));
const [oldKey, newKey] = [keyOf(1), keyOf(2)];

const keysWith = (world: TestVault, ...ring: Parameters<typeof keyRingOf>) =>
  createDataKeys({ ring: keyRingOf(...ring), region: "us", now: world.now });

describeOnBothStores("secrets at rest", (kind) => {
  async function start() {
    const world = await startVault(kind, {}, { ring: [oldKey] });
    const context = { table: "connections", row: "con_1", organizationId: world.organizationId } as const;
    const keys = keysWith(world, oldKey);
    const seal = (text: string) => world.store.transaction((db) => keys.seal(db, text, context));
    return { world, context, keys, seal };
  }

  test("a record names its version, the master key and the data key, and shows nothing of what it holds", async () => {
    const { world, context, keys, seal } = await start();
    const { text, dataKeyId } = await seal("correct horse");
    expect(text.split(".").slice(0, 3)).toEqual(["v2", oldKey.id, dataKeyId]);
    expect(Buffer.from(text.split(".")[3] ?? "", "base64url").toString("latin1")).not.toContain("horse");
    expect(await keys.open(world.store, text, context)).toBe("correct horse");
    const [row] = await world.store.query<{ wrapped: string; master_key_id: string }>("select * from data_keys");
    expect(row).toMatchObject({ master_key_id: oldKey.id, wrapped: expect.stringMatching(/^v1\./) });
  });

  test("a record opens only in its own row and for its own tenant, and every refusal looks the same", async () => {
    const { world, context, keys, seal } = await start();
    const { text } = await seal("secret");
    const cut = text.slice(0, -20);
    // Not the last character: some of its bits belong to no byte.
    const flipped = text.slice(0, -4) + (text.at(-4) === "A" ? "B" : "A") + text.slice(-3);
    const elsewhere = [
      [text, { ...context, row: "con_2" }],
      [text, { ...context, table: "connects" }],
      [text, { ...context, organizationId: "org_other" }],
      [cut, context],
      [flipped, context],
      [text.replace("v2", "v1"), context],
      [text.replace(/dek_us_\w+/, "dek_us_other"), context],
      ["", context],
    ] as const;
    for (const [sealed, where] of elsewhere) {
      await expect(keys.open(world.store, sealed, where)).rejects.toThrow(new SealBroken());
    }
  });

  test("two concurrent callers create one first key for an organization", async () => {
    const { world, context } = await start();
    const makers = [keysWith(world, oldKey), keysWith(world, oldKey)];
    const sealed = await Promise.all(
      makers.map((keys) => world.store.transaction((db) => keys.seal(db, "text", context))),
    );
    expect(new Set(sealed.map(({ dataKeyId }) => dataKeyId)).size).toBe(1);
  });

  test("a new master key wraps nothing before the rotation, and the old one is not needed afterwards", async () => {
    const { world, context, seal } = await start();
    const { text } = await seal("secret");
    // Nodes learn the new key one after the other; all of them still wrap with the old one.
    const both = keysWith(world, newKey, oldKey);
    expect(await both.open(world.store, text, context)).toBe("secret");
    expect(await missingMasterKey(world.store, keyRingOf(newKey))).toBe(oldKey.id);
    expect(await both.rewrap(world.store, newKey)).toBe(1);
    expect(await missingMasterKey(world.store, keyRingOf(newKey))).toBeNull();
    expect(await keysWith(world, newKey).open(world.store, text, context)).toBe("secret");
    await expect(keysWith(world, oldKey).open(world.store, text, context)).rejects.toThrow(SealBroken);
    expect(await missingMasterKey(world.store, keyRingOf(oldKey))).toBe(newKey.id);
    expect(await both.rewrap(world.store, newKey)).toBe(0);
  });

  test("both keys are rotated under load: every refresh succeeds, and the old keys open nothing that is left", async () => {
    const sandbox = await startSandbox("analytics");
    const world = await startVault(kind, { analytics: sandbox }, { ring: [newKey, oldKey] });
    const before = keysWith(world, oldKey);
    const first = await world.store.transaction((db) =>
      before.seal(db, "x", { table: "connections", row: "x", organizationId: world.organizationId }),
    );
    const { refresh_tokens, client_id, client_secret } = sandbox.credentials.oauth;
    const credentials = { refresh_token: refresh_tokens.editor, client_id, client_secret };
    const wish = { system: "analytics", instance: "sandbox", credentials } as const;
    const connections = await Promise.all(Array.from({ length: 4 }, () => world.connect(wish)));
    const vaults = [world.vault, world.another()];
    let isRotating = true;
    const work = connections.map(async (connection, index) => {
      let count = 0;
      for (let token = await world.vault.token(connection); isRotating || count < 3; count++) {
        token = (await vaults[(count + index) % 2]?.token(connection, token)) ?? token;
      }
      return count;
    });
    const keys = keysWith(world, newKey, oldKey);
    for (let round = 0; round < 3; round++) {
      await keys.rewrap(world.store, round % 2 === 0 ? newKey : oldKey);
      expect(await keys.renew(world.store)).toBeGreaterThanOrEqual(0);
    }
    isRotating = false;
    for (const count of await Promise.all(work)) expect(count).toBeGreaterThanOrEqual(3);
    // A row that was sealed while its key was being retired is resealed by the next run, which then deletes the key.
    await keys.renew(world.store);
    expect(await world.store.query("select id from data_keys where id = $1", [first.dataKeyId])).toEqual([]);
    expect(await world.store.query("select id from data_keys where master_key_id = $1", [oldKey.id])).toEqual([]);
    const rows = await world.store.query<{ id: string; organization_id: string; sealed: string }>(
      "select id, organization_id, sealed from connections",
    );
    const alone = keysWith(world, newKey);
    for (const row of rows) {
      const context = { table: "connections", row: row.id, organizationId: row.organization_id } as const;
      expect(JSON.parse(await alone.open(world.store, row.sealed, context)).grant.refreshToken).toBe(
        refresh_tokens.editor,
      );
    }
  });
});
