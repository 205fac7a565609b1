import { expect, test } from "vitest";
import { cleanUpLater, temporaryFolder } from "../../../test/support/stores.ts";
import { openStore } from "../region/open-database.ts";
import { readConfig } from "../settings/config.ts";
import { connectFirstDirectory } from "./first-directory.ts";
import { readFirstRun, setUpRegion, writeFirstRun } from "./first-run.ts";

test("a first run makes a directory with a token; a data folder from before gets one at its next start", async () => {
  const config = readConfig({}, { home: temporaryFolder(), regions: "us", firstRun: "on" });
  const store = await openStore(config, "us");
  cleanUpLater(() => store.close());
  const now = () => new Date();
  const start = async (): Promise<string | undefined> => {
    await setUpRegion(config, "us", store, now);
    await connectFirstDirectory(config, "us", store, now);
    return readFirstRun(config.home).regions.us?.scim_token;
  };
  const labels = async () => (await store.query("select label from directories order by id")).map(({ label }) => label);
  const first = await start();
  expect(first).toMatch(/^sbs_us_[0-9A-Za-z]{49}$/);
  expect(await start()).toBe(first);
  expect(await labels()).toEqual(["First directory"]);

  const written = readFirstRun(config.home);
  delete written.regions.us?.scim_token;
  writeFirstRun(config.home, written);
  const second = await start();
  expect(second).toMatch(/^sbs_us_/);
  expect(second).not.toBe(first);

  // A crash between the file and the commit leaves a token that nobody knows.
  if (written.regions.us) written.regions.us.scim_token = `${second?.slice(0, -1)}x`;
  writeFirstRun(config.home, written);
  expect(await start()).toMatch(/^sbs_us_/);
  // One that somebody has revoked is known: a start does not undo that.
  await store.transaction((db) => db.query("update directory_tokens set revoked_at = '2026-01-01'"));
  const third = readFirstRun(config.home).regions.us?.scim_token;
  expect(await start()).toBe(third);
});
