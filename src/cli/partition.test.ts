import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { insertOldRun } from "../../test/support/databases/old-records.ts";
import { commandLine } from "../../test/support/processes/command-line.ts";
import { newPostgresDatabase, temporaryFolder } from "../../test/support/stores.ts";
import { testMasterKey } from "../../test/support/systems/vault.ts";
import { startTeam } from "../../test/support/team.ts";
import { openPostgres } from "../store/postgres/postgres.ts";

const page = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
const afterHeading = page.split("### Partitions by month")[1] ?? "";
const blockOf = (language: string): string => afterHeading.split(`\n\`\`\`${language}\n`)[1]?.split("\n```")[0] ?? "";

/** The commands of docs/scale.md, which this file executes: what stands behind `./signalbox`. */
const [backupWords = [], planWords = [], partitionWords = []] = blockOf("sh")
  .split("\n")
  .map((line) => line.split(" ").slice(1));

test("signalbox partition refuses a region on SQLite", async () => {
  const environment = { SIGNALBOX_HOME: temporaryFolder() };
  const { code, stderr } = await commandLine(["partition", "--region", "us"], environment);
  expect([code, stderr]).toEqual([2, expect.stringContaining("is a SQLite file, which has no partitions.")]);
});

test.skipIf(inject("postgresUrl") === null)(
  "signalbox partition says what it would do, does it once, and a backup of the region is restored with its partitions",
  async () => {
    const url = await newPostgresDatabase();
    const environment = {
      SIGNALBOX_HOME: temporaryFolder(),
      SIGNALBOX_REGIONS: "us",
      SIGNALBOX_DATABASE_URL_US: url,
      SIGNALBOX_MASTER_KEY: testMasterKey.key.reveal(),
    };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await commandLine([...args, "--json"], environment);
      return { code, stderr, body: stdout === "" ? null : JSON.parse(stdout) };
    };
    const doctor = async () =>
      (await run("doctor")).body.results.find(({ check }: { check: string }) => check === "partitions us");
    const store = openPostgres(url);
    const team = await startTeam("postgres", { store });
    const runId = await insertOldRun(team, { steps: 2 });

    const { body: plan } = await run(...planWords);
    expect(plan.results).toMatchObject([
      {
        table: "runs",
        plan: expect.stringMatching(/^partition by month; rows until \d{4}-\d\d become the first partition$/),
      },
      ...["run_steps", "large_outputs", "deliveries", "events", "audit_log"].map((table) => ({ table })),
    ]);
    expect(await doctor()).toMatchObject({ ok: true, detail: "tables are not partitioned (the default)" });
    const done = await run(...partitionWords);
    expect([done.code, done.body.results[0]]).toMatchObject([
      0,
      { table: "runs", did: "partitioned", until: expect.stringMatching(/^\d{4}-\d\d$/) },
    ]);
    expect((await doctor()).detail).toBe(`tables are partitioned by month until ${done.body.results[0].until}`);
    expect((await run("partition")).body.results[0].did).toBe("nothing: it was partitioned");

    const file = join(environment.SIGNALBOX_HOME, "us.backup");
    const backup = await run(...backupWords.map((word) => (word.startsWith("/backup/") ? file : word)));
    expect([backup.code, backup.body.rows]).toMatchObject([0, { runs: 1 }]);
    await store.close();
    const restored = await run("restore", "--from", file);
    expect([restored.code, restored.body?.verified]).toMatchObject([0, { audit_chains: 1, rows: backup.body.rows }]);
    const after = openPostgres(url, 1);
    const steps = await after.query("select tableoid::regclass::text as part from run_steps where run_id = $1", [
      runId,
    ]);
    await after.query(blockOf("sql").replace("signalbox", new URL(url).pathname.slice(1)));
    await after.close();
    expect(steps).toEqual([1, 2].map(() => ({ part: expect.stringMatching(/^run_steps_before_/) })));
    expect((await doctor()).detail).toContain("tables are partitioned by month until");
  },
);
