import { copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { newPostgresDatabase, temporaryFolder } from "../../test/support/stores.ts";
import type { Region } from "../kernel/regions.ts";
import { recordMasterKey } from "../vault/sealing/data-keys.ts";
import { keyRingOf, masterKeyFrom } from "../vault/sealing/key-ring.ts";
import { keyRingFor } from "./master-keys.ts";
import { openStore } from "./region/open-database.ts";
import { readConfig } from "./settings/config.ts";

const firstStart = (home: string, environment: NodeJS.ProcessEnv = {}) =>
  keyRingFor(readConfig(environment, { home, regions: "us", firstRun: "on" }));

const key = masterKeyFrom(Buffer.alloc(32, 5).toString("base64"));

/** A store with secrets that need the key. */
async function makeStore(region: Region, home: string, environment: NodeJS.ProcessEnv = {}): Promise<void> {
  const store = await openStore(readConfig(environment, { home, regions: region }), region);
  await recordMasterKey(store, keyRingOf(key), new Date());
  await store.close();
}

// "A missing `master.key` beside data never makes a new one."
describe("a first run with a folder that has no key", () => {
  test.each(["us", "eu"] as const)(
    "refuses a copied file of the region %s, whether it is served or not",
    async (region) => {
      const [home, before] = [temporaryFolder(), temporaryFolder()];
      await makeStore(region, before);
      copyFileSync(join(before, `${region}.sqlite`), join(home, `${region}.sqlite`));
      await expect(firstStart(home)).rejects.toThrow(
        `The secrets in the store of region ${region} need the master key ${key.id}, and ${home} has no master.key.`,
      );
      expect(readdirSync(home)).toEqual([`${region}.sqlite`]);
    },
  );

  test("refuses the file of another region that cannot be read", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "eu.sqlite"), "half a database".repeat(100));
    await expect(firstStart(home)).rejects.toThrow(
      /^The store .*eu\.sqlite cannot be read \(.+\), and .*Put master\.key back/,
    );
    expect(readdirSync(home)).toEqual(["eu.sqlite"]);
  });

  test("creates a key beside a file without secrets", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "au.sqlite"), "");
    await (await openStore(readConfig({}, { home, regions: "eu" }), "eu")).close();
    const { current } = await firstStart(home);
    expect((await firstStart(home)).current.id).toBe(current.id);
  });

  test.skipIf(inject("postgresUrl") === null)("refuses a PostgreSQL store with secrets", async () => {
    const home = temporaryFolder();
    const environment = { SIGNALBOX_DATABASE_URL_US: await newPostgresDatabase() };
    await makeStore("us", temporaryFolder(), environment);
    await expect(firstStart(home, environment)).rejects.toThrow(
      `The secrets in the store of region us need the master key ${key.id}, and ${home} has no master.key.`,
    );
    expect(readdirSync(home)).toEqual([]);
  });
});
