import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { knownMigrations } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { oldestBeside } from "../../src/store/previous-version.ts";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, type ServerProcess, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../support/stores.ts";

/** The last commit of the previous version; CONTRIBUTING.md says when it changes. */
const previousCommit = "9720be603f414b2148fd8f172a37032fe3110572";
const repository = new URL("../..", import.meta.url).pathname;
const parts = ["src", "sandboxes", "docs", "package.json", "tsconfig.json"];

/** False where the history is not there: in a shallow clone, or in an archive that was unpacked. */
const hasPrevious =
  spawnSync("git", ["cat-file", "-e", `${previousCommit}^{commit}`], { cwd: repository }).status === 0;

/** The program of the previous version, with the libraries of this one. */
async function previousProgram(): Promise<string> {
  const folder = temporaryFolder();
  const input = execFileSync("git", ["archive", previousCommit, ...parts], { cwd: repository, maxBuffer: 1e9 });
  execFileSync("tar", ["-x", "-C", folder], { input });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  // Its console would be built first, and nobody looks at it here.
  const { consoleFolder } = (await import(join(folder, "src/start/console.ts"))) as { consoleFolder(): string };
  mkdirSync(consoleFolder(), { recursive: true });
  writeFileSync(join(consoleFolder(), "index.html"), "");
  return folder;
}

/** Calls to one server that must succeed, as the account of the first run. */
function callsTo({ port }: ServerProcess, home: string) {
  const first = firstRunOf(home);
  const caller = createCaller(port);
  cleanUpLater(async () => caller.close());
  return async (operation: string, body: object = {}) => {
    const answer = await caller.call(operation, body, { authorization: `Bearer ${first.project_id}:${first.api_key}` });
    expect([operation, answer.status, answer.text]).toEqual([operation, 200, expect.anything()]);
    return answer.body;
  };
}

// "Rolling upgrade: the previous version beside the new one during a migration; a test runs both at once."
describe.skipIf(inject("postgresUrl") === null || !hasPrevious)("an upgrade node by node", () => {
  test("the previous version goes on during the migration and after it, and hands its work over", async () => {
    const home = temporaryFolder();
    const url = await newPostgresDatabase("template0");
    const outside = await startOutside();
    cleanUpLater(() => outside.stop());
    const settings = {
      SIGNALBOX_SANDBOXES: outside.address,
      SIGNALBOX_DATABASE_URL_US: url,
      SIGNALBOX_LOG_LEVEL: "warn",
    };
    const program = await previousProgram();
    const start = async (root?: string) => {
      const server = await startServer(home, settings, undefined, root);
      cleanUpLater(() => server.kill());
      return server;
    };
    const old = await start(program);
    const { organization_id: organization, connections } = firstRunOf(home);
    const onOld = callsTo(old, home);
    const project = (name: string) => ({ name, description: "", organization_id: organization });
    const { tool_id: tool } = await onOld("tools/create", {
      title: "List",
      steps: [{ name: "list", step: "list_deployments", connection_id: connections?.deployment, input: { limit: 1 } }],
    });
    const store = openPostgres(url, 1);
    cleanUpLater(() => store.close());
    const schema = async () =>
      (await store.query<{ max: number }>("select max(number) from schema_migrations"))[0]?.max;
    expect(await schema()).toBe(oldestBeside);

    // The old node is called all the time while the new one migrates.
    let upgraded = false;
    const made: string[] = [];
    const meanwhile = (async () => {
      while (!upgraded) made.push((await onOld("projects/create", project(`During ${made.length}`))).project_id);
    })();
    const current = await start().finally(() => {
      upgraded = true;
    });
    await meanwhile;
    expect(made.length).toBeGreaterThan(0);
    expect(await schema()).toBe(knownMigrations().at(-1)?.number);
    const onNew = callsTo(current, home);

    // Each sees what the other makes, and its runs.
    const { project_id: fromNew } = await onNew("projects/create", project("From the new one"));
    expect(await onOld("projects/get", { project_id: fromNew })).toMatchObject({ name: "From the new one" });
    expect(await onNew("projects/get", { project_id: made.at(-1) })).toMatchObject({
      name: `During ${made.length - 1}`,
    });
    const trigger = { params: {}, wait_seconds: 60 };
    expect(await onOld(`tools/${tool}/trigger`, trigger)).toMatchObject({ status: "succeeded" });
    expect(await onNew(`tools/${tool}/trigger`, trigger)).toMatchObject({ status: "succeeded" });

    // The old node goes for good. What it has queued is not lost.
    const { run_id: left } = await onOld(`tools/${tool}/trigger_async`, { params: {} });
    expect(await old.stop()).toBe(0);
    await expect.poll(async () => (await onNew(`runs/${left}/get`)).status, { timeout: 60_000 }).toBe("succeeded");
  }, 240_000);
});
