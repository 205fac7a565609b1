import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cleanUpLater, temporaryFolder } from "../../../test/support/stores.ts";
import { authenticate } from "../../access/callers/authenticate.ts";
import { readAuthorization } from "../../access/callers/authorization-header.ts";
import { openStore } from "../region/open-database.ts";
import { readConfig } from "../settings/config.ts";
import { connectFirstDirectory } from "./first-directory.ts";
import { firstRunFile, readFirstRun, setUpRegion } from "./first-run.ts";

// "A half-written or deleted first-run.json is made anew from the store, whole, or said in a sentence."
test("a missing or truncated first-run.json is recreated with working keys, and nothing is revoked", async () => {
  const config = readConfig({}, { home: temporaryFolder(), regions: "us", firstRun: "on" });
  const store = await openStore(config, "us");
  cleanUpLater(() => store.close());
  const now = () => new Date();
  const start = async () => {
    const said = await setUpRegion(config, "us", store, now);
    await connectFirstDirectory(config, "us", store, now);
    return { said, entry: readFirstRun(config.home).regions.us };
  };
  const activeKeys = () => store.query("select id from api_keys where revoked_at is null and disabled_at is null");
  const file = firstRunFile(config.home);
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
  const credentials = readAuthorization(`Bearer :${readFirstRun(config.home).regions.us?.api_key}`);
  if (!credentials) throw new Error("The key cannot be read.");
  expect((await authenticate(store, credentials, null, now())).actor.userId).toBe(first.entry?.user_id);
});
