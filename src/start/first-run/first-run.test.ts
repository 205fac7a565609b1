import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  cleanUpLater,
  describeOnBothStores,
  newPostgresDatabase,
  type StoreKind,
  temporaryFolder,
} from "../../../test/support/stores.ts";
import { authenticate } from "../../access/callers/authenticate.ts";
import { readAuthorization } from "../../access/callers/authorization-header.ts";
import { type Store, StoreUnavailable } from "../../store/db.ts";
import { openStore } from "../region/open-database.ts";
import { readConfig } from "../settings/config.ts";
import { connectFirstDirectory } from "./first-directory.ts";
import { firstRunFile, readFirstRun, setUpRegion } from "./first-run.ts";

async function newRegion(kind: StoreKind) {
  const environment = kind === "postgres" ? { SIGNALBOX_DATABASE_URL_US: await newPostgresDatabase() } : {};
  const config = readConfig(environment, { home: temporaryFolder(), regions: "us", firstRun: "on" });
  const store = await openStore(config, "us");
  cleanUpLater(() => store.close());
  return { config, store, file: firstRunFile(config.home) };
}

const now = () => new Date();

/** Whose the key in the file is. */
async function ownerOfKey(store: Store, home: string): Promise<string> {
  const credentials = readAuthorization(`Bearer :${readFirstRun(home).regions.us?.api_key}`);
  if (!credentials) throw new Error("The key cannot be read.");
  return (await authenticate(store, credentials, null, now())).actor.userId;
}

describeOnBothStores("first-run.json", (kind) => {
  // "A half-written or deleted first-run.json is made anew from the store, whole, or said in a sentence."
  test("a missing or truncated first-run.json is recreated with working keys, and nothing is revoked", async () => {
    const { config, store, file } = await newRegion(kind);
    const start = async () => {
      const said = await setUpRegion(config, "us", store, now);
      await connectFirstDirectory(config, "us", store, now);
      return { said, entry: readFirstRun(config.home).regions.us };
    };
    const activeKeys = () => store.query("select id from api_keys where revoked_at is null and disabled_at is null");
    const first = await start();
    expect(first.said).toBeNull();
    expect((await start()).entry).toEqual(first.entry);
    const { password: _, ...whole } = first.entry ?? {};

    const half = readFileSync(file, "utf8").slice(0, 120);
    for (const [count, spoil] of [() => rmSync(file), () => writeFileSync(file, half)].entries()) {
      spoil();
      const { said, entry } = await start();
      expect(said).toMatch(/created again.*new API key.*The old ones still work.*users set-password/);
      expect(entry).toEqual({
        ...whole,
        api_key: expect.stringMatching(/^sbk_us_/),
        scim_token: expect.stringMatching(/^sbs_us_/),
      });
      expect(entry?.api_key).not.toBe(first.entry?.api_key);
      expect(await activeKeys()).toHaveLength(count + 2);
      expect((await start()).said).toBeNull();
    }
    expect(await store.query("select label from directories")).toEqual([{ label: "First directory" }]);
    expect(await ownerOfKey(store, config.home)).toBe(first.entry?.user_id);
  });

  // Such as in a folder that was mounted read-only.
  test("a first-run.json that cannot be written is refused with a sentence, and nothing is created", async () => {
    const { config, store, file } = await newRegion(kind);
    mkdirSync(file);
    await expect(setUpRegion(config, "us", store, now)).rejects.toThrow(/^.*first-run\.json cannot be written: EISDIR/);
    expect(await store.query("select id from users")).toEqual([]);
    expect(readdirSync(config.home).filter((name) => name.startsWith("first-run"))).toEqual(["first-run.json"]);
  });

  test("a first-run.json whose key was never committed is recreated, and says so", async () => {
    const { config, store, file } = await newRegion(kind);
    await setUpRegion(config, "us", store, now);
    const owner = await ownerOfKey(store, config.home);
    rmSync(file);
    const failing: Store = {
      ...store,
      transaction: (work) =>
        store.transaction(async (db) => {
          await work(db);
          throw new StoreUnavailable("full", new Error("no space for the commit"));
        }),
    };
    await expect(setUpRegion(config, "us", failing, now)).rejects.toMatchObject({ reason: "full" });
    await expect(ownerOfKey(store, config.home)).rejects.toThrow();
    const said = await setUpRegion(config, "us", store, now);
    expect(said).toMatch(/API key that the region us does not know, and was created again with a new API key/);
    expect(await ownerOfKey(store, config.home)).toBe(owner);
    expect(await setUpRegion(config, "us", store, now)).toBeNull();
    // A key that somebody has revoked stays so.
    await store.transaction((db) => db.query("update api_keys set revoked_at = $1", [now().toISOString()]));
    expect(await setUpRegion(config, "us", store, now)).toBeNull();
    await store.transaction((db) => db.query("update users set active = 0"));
    await store.transaction((db) => db.query("update api_keys set hash = id"));
    expect(await setUpRegion(config, "us", store, now)).toMatch(/does not know, and the account .* no longer exists/);
  });
});
