import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { knownMigrations } from "../../src/store/migrate.ts";
import { defaultTimeouts } from "../../src/store/postgres/pools.ts";
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

/** A transaction that has read these tables and is left open: what changes them waits for it. */
async function holdOpen(url: string, tables: readonly string[]) {
  const patient = { ...defaultTimeouts, statement: 600_000, idleInTransaction: 600_000 };
  const store = openPostgres(url, 1, patient);
  cleanUpLater(() => store.close());
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const over = store.transaction(async (db) => {
    for (const table of tables) await db.query(`select count(*) from ${table}`);
    held.resolve();
    await end.promise;
  });
  await Promise.race([held.promise, over]);
  return {
    end(): Promise<void> {
      end.resolve();
      return over;
    },
  };
}

/** "A call may be repeated" after these, and with the same key it takes effect once. */
const retryable = new Set([429, 503]);
const loadCallers = 4;

/**
 * Calls one server without a pause, as many programs do, until it is stopped. Fails at an answer that says anything else than
 * what was asked for, or that the call may be repeated.
 */
function startLoad({ port }: ServerProcess, home: string, organization: string, tool: string) {
  const first = firstRunOf(home);
  let isOver = false;
  const made = { projects: new Map<string, string>(), runs: [] as string[] };
  const work = Array.from({ length: loadCallers }, async (_, caller) => {
    const http = createCaller(port);
    const send = async (key: string, operation: string, body: object) => {
      for (;;) {
        const authorization = `Bearer ${first.project_id}:${first.api_key}`;
        const answer = await http.call(operation, body, { authorization, "idempotency-key": key });
        if (answer.status === 200) return answer.body;
        expect([...retryable], `${operation}: ${answer.text}`).toContain(answer.status);
      }
    };
    try {
      for (let round = 0; !isOver; round++) {
        const name = `Load ${caller}.${round}`;
        const project = { name, description: "", organization_id: organization };
        made.projects.set(name, (await send(name, "projects/create", project)).project_id);
        made.runs.push((await send(`Run ${name}`, `tools/${tool}/trigger_async`, { params: {} })).run_id);
      }
    } finally {
      http.close();
    }
  });
  const ended = Promise.all(work);
  // It is awaited at the end. Until then Node would call a failure unhandled.
  ended.catch(() => {});
  return {
    made,
    ended,
    async stop() {
      isOver = true;
      await ended;
      return made;
    },
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
      SIGNALBOX_RATE_LIMITS: "off",
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

    // The old node is called all the time while the new one migrates. Someone else's transaction keeps that waiting.
    const load = startLoad(old, home, organization, tool);
    const long = await holdOpen(url, ["audit_log", "deliveries"]);
    const starting = start();
    const waiting = () =>
      store.query<{ n: number }>(
        `select count(*) as n from pg_locks
          where not granted and relation = 'audit_log'::regclass and mode = 'AccessExclusiveLock'`,
      );
    const tooEarly = starting.then(() => {
      throw new Error("The new node did not wait.");
    });
    await Promise.race([tooEarly, load.ended, expect.poll(waiting, { timeout: 60_000 }).toEqual([{ n: 1 }])]);
    // A call that writes to the audit log waits behind the migration; yet calls come through.
    const [before, more] = [load.made.projects.size, 20];
    const goesOn = expect.poll(() => load.made.projects.size - before, { timeout: 60_000 }).toBeGreaterThan(more);
    await Promise.race([tooEarly, load.ended, goesOn]);
    await long.end();
    const current = await starting;
    const { projects, runs } = await load.stop();
    expect(await schema()).toBe(knownMigrations().at(-1)?.number);
    const onNew = callsTo(current, home);

    // Nothing that was acknowledged is lost, and nothing is there twice.
    const kept = await store.query<{ id: string; name: string }>(
      "select id, name from projects where name like 'Load %'",
    );
    expect(new Map(kept.map(({ id, name }) => [name, id]))).toEqual(projects);
    expect(kept.length).toBe(projects.size);
    const started = await store.query<{ id: string }>("select id from runs where tool_id = $1", [tool]);
    expect(started.map(({ id }) => id).sort()).toEqual([...runs].sort());
    const left = "select count(*) as n from runs where tool_id = $1 and status <> 'succeeded'";
    await expect.poll(() => store.query(left, [tool]), { timeout: 120_000 }).toEqual([{ n: 0 }]);

    // Each sees what the other makes, and its runs.
    const { project_id: fromNew } = await onNew("projects/create", project("From the new one"));
    expect(await onOld("projects/get", { project_id: fromNew })).toMatchObject({ name: "From the new one" });
    const [name, fromOld] = [...projects].at(-1) ?? [];
    expect(await onNew("projects/get", { project_id: fromOld })).toMatchObject({ name });
    const trigger = { params: {}, wait_seconds: 60 };
    expect(await onOld(`tools/${tool}/trigger`, trigger)).toMatchObject({ status: "succeeded" });
    expect(await onNew(`tools/${tool}/trigger`, trigger)).toMatchObject({ status: "succeeded" });

    // The old node goes for good. What it has queued is not lost.
    const { run_id: queued } = await onOld(`tools/${tool}/trigger_async`, { params: {} });
    expect(await old.stop()).toBe(0);
    await expect.poll(async () => (await onNew(`runs/${queued}/get`)).status, { timeout: 60_000 }).toBe("succeeded");
  }, 400_000);
});
