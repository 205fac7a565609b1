import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { newSmallDisk, whyNoSmallDisk } from "../support/databases/small-disk.ts";
import { signalbox } from "../support/processes/command.ts";
import { startWithAccount, successOf } from "../support/processes/first-account.ts";
import { cleanUpLater } from "../support/stores.ts";

// "A restored store knows that it was restored: open intents are looked for and otherwise wait for a person, schedules that were
// missed are not caught up with blindly, and the start says so." "A full disk does not prevent a start that only reads."
test("a restore that a start finds on a full disk is recorded before any run continues or a schedule starts one", async (context) => {
  const disk = newSmallDisk(32);
  if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
  const home = join(disk.folder, "data");
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const start = async () => {
    const settings = { SIGNALBOX_SANDBOXES: outside.address, SIGNALBOX_LOG_LEVEL: "warn" };
    const server = await startWithAccount(home, settings);
    return { ...server, call: successOf(server) };
  };
  const server = await start();
  const path = `/v1/projects/${outside.projectId}/pause`;
  const asksThenWrites = {
    title: "Asks, then writes",
    params_schema: { type: "object" },
    steps: [
      { name: "ask", step: "approve", input: { message: "May I?" } },
      {
        name: "write",
        step: "deployment_api_call",
        connection_id: server.first.connections?.deployment,
        input: { method: "POST", path },
      },
    ],
  };
  const { tool_id } = await server.call("tools/create", asksThenWrites);
  const { run_id } = await server.call(`tools/${tool_id}/trigger_async`, { params: {} });
  await expect.poll(async () => (await server.call(`runs/${run_id}/get`)).status).toBe("waiting");
  const every = { tool_id, cron: "0 0 1 1 *", misfire: "all", params: {} };
  const { schedule_id } = await server.call("schedules/create", every);
  const backup = join(disk.folder, "backup.sqlite");
  expect(await signalbox(["backup", "--to", backup, "--region", "us", "--home", home])).toMatchObject({ code: 0 });
  await server.call(`runs/${run_id}/approve`, { approved: true });
  await expect.poll(async () => (await server.call(`runs/${run_id}/get`)).status).toBe("succeeded");
  const written = () => outside.sent("deployment", "POST", path);
  expect(await written()).toBe(1);
  expect(await server.stop()).toBe(0);

  // As if the backup were some hours old. The next time of the schedule is half an hour away.
  const copy = new DatabaseSync(backup);
  const missed = new Date(Date.now() - 4.5 * 3_600_000);
  const cron = `${missed.getUTCMinutes()} * * * *`;
  copy.prepare("update schedules set cron = ?, next_at = ? where id = ?").run(cron, missed.toISOString(), schedule_id);
  copy.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(join(home, `us.sqlite${suffix}`), { force: true });
  copyFileSync(backup, join(home, "us.sqlite"));
  rmSync(join(home, "us.reserve"));
  // A reader that is open has made the files that SQLite needs to read: not a byte is left for the server.
  const reader = new DatabaseSync(join(home, "us.sqlite"));
  reader.exec("pragma journal_mode = wal; select count(*) from store_mark");
  disk.fill();

  const reading = await start();
  reader.close();
  await expect.poll(() => reading.printed()).toContain("the store was restored from a backup");
  await expect.poll(() => reading.printed()).toContain("the disk is too full to record the restore");
  const ready = async () => (await fetch(`http://127.0.0.1:${reading.port}/readyz`)).status;
  expect(await ready()).toBe(503);
  const scheduled = async ({ call }: typeof reading) => (await call("schedules/list")).results[0];
  expect(await scheduled(reading)).toMatchObject({ last_run_id: null, last_problem: null });
  disk.free();
  await expect.poll(ready).toBe(200);
  await expect.poll(() => scheduled(reading)).toMatchObject({ last_problem: { code: "missed" } });
  expect(await reading.stop()).toBe(0);

  // The next start knows of it, too.
  const again = await start();
  expect(await scheduled(again)).toMatchObject({ last_problem: { code: "missed" } });
  await again.call(`runs/${run_id}/approve`, { approved: true });
  await expect.poll(async () => (await again.call(`runs/${run_id}/get`)).status).toBe("outcome_unknown");
  expect(await written()).toBe(1);
}, 240_000);
