import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendRows } from "../../test/support/calls/audit.ts";
import { insertOldRun, prunerOf, setPolicy } from "../../test/support/databases/old-records.ts";
import { commandLine } from "../../test/support/processes/command-line.ts";
import { cleanUpLater, temporaryFolder } from "../../test/support/stores.ts";
import { testMasterKey } from "../../test/support/systems/vault.ts";
import { startTeam } from "../../test/support/team.ts";
import { migrate } from "../store/migrate.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";

/** A data folder with a store that has archived a run and three audit rows. */
async function archivedHome() {
  const home = join(temporaryFolder(), "data");
  mkdirSync(home);
  const store = openSqlite(join(home, "us.sqlite"));
  cleanUpLater(() => store.close());
  await migrate(store, new Date());
  const team = await startTeam("sqlite", { store });
  await setPolicy(team, { audit: { days: 90 }, runs: { days: 30 } });
  await appendRows(team, 1);
  await insertOldRun(team);
  team.advance(92 * 86_400);
  await prunerOf(team, { folder: join(home, "archive") }).pass();
  const environment = { SIGNALBOX_MASTER_KEY: testMasterKey.key.reveal() };
  const archive = async (...args: string[]) => {
    const { code, stdout, stderr } = await commandLine(["archive", ...args, "--home", home, "--json"], environment);
    return { code, stderr, results: stdout === "" ? null : JSON.parse(stdout).results };
  };
  return { home, store, team, archive, environment };
}

test("signalbox archive lists and verifies, against the manifests and against the anchor in the store", async () => {
  const { home, store, archive, environment } = await archivedHome();
  const listed = await archive("list");
  expect(listed.results.map(({ kind, records }: Record<string, unknown>) => [kind, records])).toEqual([
    ["audit", 4],
    ["runs", 1],
  ]);
  const verified = await archive("verify");
  expect(verified.code).toBe(0);
  expect(verified.results).toMatchObject([
    { kind: "audit", valid: true, problem: null, recorded: true },
    { kind: "runs", valid: true, problem: null, recorded: true },
  ]);
  const chains = await commandLine(["audit", "verify", "--store", "--home", home, "--json"], environment);
  expect([chains.code, JSON.parse(chains.stdout).results]).toMatchObject([0, [{ valid: true, verified_from: 5 }]]);

  await store.transaction((db) => db.query("update audit_anchors set hash = 'forged'"));
  const forged = await archive("verify");
  expect([forged.code, forged.results[0].problem]).toEqual([1, "The anchor in the store is row 4 with another hash."]);

  const [, runs] = listed.results;
  const file = runs.manifest.replace(".manifest.json", ".jsonl.gz");
  writeFileSync(file, readFileSync(file).subarray(0, -9));
  const cut = await archive("verify", file);
  expect([cut.code, cut.results]).toMatchObject([1, [{ kind: "runs", valid: false }]]);
  const unknown = await archive("verify", join(home, "nothing.jsonl.gz"));
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("has no manifest beside it")]);
});
