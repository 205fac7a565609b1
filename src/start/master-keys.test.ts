import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { findProgram } from "../../test/support/runner/find-program.ts";
import { newPostgresDatabase, temporaryFolder } from "../../test/support/stores.ts";
import { openSeal } from "../cli/operator/open-seal.ts";
import type { Region } from "../kernel/regions.ts";
import { appliedMigrations, knownMigrations, migrate } from "../store/migrate.ts";
import { openReadOnlyFile } from "../store/read-only-store.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { recordMasterKey } from "../vault/sealing/data-keys.ts";
import { keyRingOf, masterKeyFrom } from "../vault/sealing/key-ring.ts";
import { existingKeyRing, keyRingFor } from "./master-keys.ts";
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

  test("does not bring a store up to date that it refuses", async () => {
    const home = temporaryFolder();
    const older = openSqlite(join(home, "us.sqlite"));
    const migrations = knownMigrations().slice(0, -1);
    await migrate(older, new Date(), migrations);
    await recordMasterKey(older, keyRingOf(key), new Date());
    await older.close();
    await expect(firstStart(home)).rejects.toThrow("has no master.key");
    const store = openReadOnlyFile(join(home, "us.sqlite"));
    expect(await appliedMigrations(store)).toHaveLength(migrations.length);
    await store.close();
  });

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

// "With a wrong or broken master key: not ok", and why in a sentence.
test("a broken key is refused by commands beside a server as by the server", () => {
  const home = temporaryFolder();
  writeFileSync(join(home, "master.key"), "half a k");
  const refused = /^The master key in .* cannot be used: The master key must be 32 bytes.*Put the right one back\.$/;
  const config = readConfig({}, { home, regions: "us", firstRun: "on" });
  expect(() => existingKeyRing(config)).toThrow(refused);
  expect(() => openSeal(config, "us")).toThrow(refused);
});

test("a folder in which no key can be created is refused as such", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  await expect(firstStart(join(file, "data"))).rejects.toThrow(/^No master key can be created in .*: ENOTDIR/);
});

/** Some containers forbid it. */
function canTrace(): boolean {
  const strace = findProgram("strace", "strace", "when keys are flushed to the disk is not shown");
  return strace !== "" && spawnSync(strace, ["-qq", "-o", "/dev/null", "true"]).status === 0;
}

/** The calls with which a program makes names in a folder, and makes them durable, without those of Node itself. */
function callsOf(program: string, home: string): string[] {
  const trace = ["-f", "-y", "-qq", "-e", "trace=fsync,fdatasync,/^link,/^rename", "-e", "signal=none"];
  const node = [process.execPath, "--no-warnings", "--input-type=module", "--eval", program];
  const { stderr } = spawnSync("strace", [...trace, ...node], { encoding: "utf8" });
  return stderr
    .split("\n")
    .filter((line) => line.includes(home))
    .map((line) => {
      const [, call = "", rest = ""] = /(\w+?)(?:at2?)?\((.*)\)\s+=/.exec(line) ?? [];
      const names = [...rest.matchAll(/[<"]([^>"]+)[>"]/g)].map(([, path = ""]) => path);
      return [call, ...names.map((path) => path.replace(home, "").replace(/\.\d+$/, ".draft") || "/")].join(" ");
    });
}

// "An acknowledged change survives a crash": the store is on disk with each commit, so what its secrets need is there before.
test.skipIf(!canTrace())(
  "a key, its replacement and first-run.json are on disk before anything depends on them",
  () => {
    const home = temporaryFolder();
    const program = `
      import { beginKeyRotation, masterKeyInFolder } from "./src/vault/sealing/key-ring.ts";
      import { writeFirstRun } from "./src/start/first-run/first-run.ts";
      masterKeyInFolder(${JSON.stringify(home)});
      beginKeyRotation(${JSON.stringify(home)});
      writeFirstRun(${JSON.stringify(home)}, { regions: {} });`;
    const folder = "fsync /";
    expect(callsOf(program, home)).toEqual([
      ...["fsync /master.key.draft", "link /master.key.draft /master.key", folder],
      ...["fsync /master.key.next.draft", "link /master.key.next.draft /master.key.next", folder],
      ...["link /master.key /master.key.old", folder, "rename /master.key.next /master.key", folder],
      ...["fsync /first-run.json.draft", "rename /first-run.json.draft /first-run.json", folder],
    ]);
  },
);
