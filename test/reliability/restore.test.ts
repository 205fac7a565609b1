import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { signalbox } from "../support/processes/command.ts";
import { startWithAccount, successOf } from "../support/processes/first-account.ts";
import { startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, temporaryFolder } from "../support/stores.ts";

async function startWorld() {
  const home = temporaryFolder();
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const start = async () => {
    const settings = { SIGNALBOX_SANDBOXES: outside.address, SIGNALBOX_LOG_LEVEL: "warn" };
    const server = await startWithAccount(home, settings);
    return { ...server, call: successOf(server) };
  };
  return { home, outside, start };
}

type Server = Awaited<ReturnType<Awaited<ReturnType<typeof startWorld>>["start"]>>;

const inFolder = (home: string, ...args: string[]) => signalbox([...args, "--region", "us", "--home", home, "--json"]);

/** A run waits for a person's word; what comes after that is one write. */
const toolFor = (write: object) => ({
  title: "Asks, then writes",
  params_schema: { type: "object" },
  steps: [
    { name: "ask", step: "approve", input: { message: "May I?" } },
    { name: "write", ...write },
  ],
});

const endOf = (server: Server, runId: string) =>
  expect.poll(async () => (await server.call(`runs/${runId}/get`)).status, { timeout: 60_000, interval: 200 });

/** What people do by hand, and what the command does for them. */
const waysBack: [string, (home: string, backup: string) => Promise<void>][] = [
  [
    "signalbox restore",
    async (home, backup) => {
      const { code, stdout, stderr } = await inFolder(home, "restore", "--from", backup);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/^store: .*\nThe store that was replaced is kept: .*\n$/),
      });
      const { old_file } = JSON.parse(stdout);
      expect(existsSync(old_file)).toBe(true);
    },
  ],
  [
    "a copy by hand",
    async (home, backup) => {
      for (const suffix of ["-wal", "-shm"]) rmSync(join(home, `us.sqlite${suffix}`), { force: true });
      copyFileSync(backup, join(home, "us.sqlite"));
    },
  ],
];

// "A restored store knows that it was restored: open intents are looked for and otherwise wait for a person, schedules that were
// missed are not caught up with blindly, and the start says so."
describe.each(waysBack)("after %s", (_, putBack) => {
  test("no write of an open run is sent again, and missed times of schedules are skipped", async () => {
    const { home, outside, start } = await startWorld();
    const server = await start();
    const connection_id = server.first.connections?.deployment;
    const tool = async (write: object) =>
      (await server.call("tools/create", toolFor({ connection_id, ...write }))).tool_id as string;
    // Signalbox leaves a marker in what this one creates, so the platform can be asked.
    const canTell = await tool({ step: "create_deployment", input: { project: outside.projectId } });
    const path = `/v1/projects/${outside.projectId}/pause`;
    const cannotTell = await tool({ step: "deployment_api_call", input: { method: "POST", path } });
    const runs: string[] = [];
    for (const id of [canTell, cannotTell]) {
      runs.push((await server.call(`tools/${id}/trigger_async`, { params: {} })).run_id);
    }
    for (const id of runs) await endOf(server, id).toBe("waiting");
    const yearly = { tool_id: canTell, cron: "0 0 1 1 *", misfire: "all", params: {} };
    const schedule = (await server.call("schedules/create", yearly)).schedule_id;

    const backup = join(home, "backup.sqlite");
    expect(await inFolder(home, "backup", "--to", backup)).toMatchObject({ code: 0 });
    for (const id of runs) await server.call(`runs/${id}/approve`, { approved: true });
    for (const id of runs) await endOf(server, id).toBe("succeeded");
    const written = async () => [
      await outside.sent("deployment", "POST", "/v13/deployments"),
      await outside.sent("deployment", "POST", path),
    ];
    expect(await written()).toEqual([1, 1]);
    expect(await server.stop()).toBe(0);

    // As if the backup were some hours old. The next time of the schedule is half an hour away.
    const copy = new DatabaseSync(backup);
    const missed = new Date(Date.now() - 4.5 * 3_600_000);
    const cron = `${missed.getUTCMinutes()} * * * *`;
    copy.prepare("update schedules set cron = ?, next_at = ? where id = ?").run(cron, missed.toISOString(), schedule);
    copy.close();
    await putBack(home, backup);

    const again = await start();
    await expect.poll(() => again.printed()).toContain("the store was restored from a backup");
    const [told = "", asked = ""] = runs;
    for (const id of runs) await again.call(`runs/${id}/approve`, { approved: true });
    await endOf(again, told).toBe("succeeded");
    await endOf(again, asked).toBe("outcome_unknown");
    const open = await again.call(`runs/${asked}/get`);
    expect(open.problem.detail).toMatch(
      /^The store was restored from a backup. It is not known whether this write was sent afterwards/,
    );
    expect(await written()).toEqual([1, 1]);
    const { results } = await again.call("schedules/list");
    expect(results).toMatchObject([{ last_run_id: null, last_problem: { code: "missed" } }]);

    // A person has looked; and what is new is done as ever.
    await again.call(`runs/${asked}/resolve`, { outcome: "retry" });
    await endOf(again, asked).toBe("succeeded");
    const fresh = (await again.call(`tools/${cannotTell}/trigger_async`, { params: {} })).run_id;
    await endOf(again, fresh).toBe("waiting");
    await again.call(`runs/${fresh}/approve`, { approved: true });
    await endOf(again, fresh).toBe("succeeded");
    expect(await written()).toEqual([1, 3]);
    const doctor = JSON.parse((await signalbox(["doctor", "--home", home, "--json"])).stdout);
    expect(doctor.results).toContainEqual(
      expect.objectContaining({
        check: "restore us",
        ok: true,
        detail: expect.stringMatching(/^restored from a backup at/),
      }),
    );
    expect(await again.stop()).toBe(0);
  }, 240_000);
});

test("a store that was killed, stopped or moved with its folder does not count as restored", async () => {
  const home = temporaryFolder();
  const said: string[] = [];
  for (const end of ["kill", "kill", "stop", "kill"] as const) {
    const server = await startServer(home, { SIGNALBOX_LOG_LEVEL: "warn" });
    await server[end]();
    said.push(server.printed());
  }
  expect(said.join("")).not.toContain("restored from a backup");
}, 120_000);

describe("signalbox backup and restore refuse", () => {
  test("what they cannot do, with an error message, and change nothing", async () => {
    const home = temporaryFolder();
    const nothing = await inFolder(home, "backup", "--to", join(home, "copy.sqlite"));
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringMatching(/There is no store of the region us/)]);
    const server = await startServer(home);
    cleanUpLater(() => server.kill());
    const copy = join(home, "copy.sqlite");
    expect((await inFolder(home, "backup", "--to", copy)).code).toBe(0);
    const twice = await inFolder(home, "backup", "--to", copy);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringMatching(/exists already/)]);
    const files = readdirSync(home);
    const nowhere = await inFolder(home, "backup", "--to", join(home, "missing/copy.sqlite"));
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringMatching(/there is no folder .*missing/)]);
    const unreadable = await inFolder(home, "restore", "--from", home);
    expect([unreadable.code, unreadable.stderr]).toEqual([
      2,
      expect.stringMatching(/This user cannot read .*Nothing was changed/s),
    ]);
    const atWork = await inFolder(home, "restore", "--from", copy);
    expect([atWork.code, atWork.stderr]).toEqual([
      2,
      expect.stringMatching(/A server uses the region us .*Stop it first/),
    ]);
    expect(readdirSync(home)).toEqual(files);
    expect(await server.stop()).toBe(0);
    const foreign = await inFolder(home, "restore", "--from", join(home, "first-run.json"));
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringMatching(/cannot be restored\. It is no store/)]);
    const changed = new DatabaseSync(copy);
    for (const { name } of changed.prepare("select name from sqlite_master where type = 'trigger'").all()) {
      changed.exec(`drop trigger ${name}`);
    }
    changed.exec("update audit_log set action = 'nothing.happened' where seq = 1");
    changed.close();
    const forged = await inFolder(home, "restore", "--from", copy);
    expect([forged.code, forged.stderr]).toEqual([
      2,
      expect.stringMatching(/The audit chain of org_us_\w+ is broken at row 1 of the backup.*Nothing was changed/),
    ]);
    expect(readdirSync(home).filter((file) => file.includes("restor"))).toEqual([]);
    const onServer = await signalbox(["restore", "--region", "us", "--from", copy, "--home", home], {
      SIGNALBOX_DATABASE_URL_US: "postgres://nobody@127.0.0.1:1/nothing",
    });
    expect([onServer.code, onServer.stderr]).toEqual([
      2,
      expect.stringMatching(/no PostgreSQL dump, and the region us is on PostgreSQL/),
    ]);
  }, 120_000);
});
