import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { startStallingProxy } from "../support/network/stalling-proxy.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, type ServerProcess, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, describeOnBothStores, newPostgresDatabase, type StoreKind } from "../support/stores.ts";

const input = { account_id: "100", display_name: "Once", time_zone: "Asia/Tokyo", currency_code: "JPY" };
const other = { ...input, display_name: "Never" };

/**
 * On SQLite, a server that stands still within a commit keeps the lock of the file, and no other server can write. So this freezes it
 * at another moment.
 */
async function freezeBetweenCommits(server: ServerProcess, home: string, kind: StoreKind): Promise<void> {
  const isBetween = () => {
    server.freeze();
    if (kind === "postgres" || canWrite(join(home, "us.sqlite"))) return true;
    server.thaw();
    return false;
  };
  await expect.poll(isBetween).toBe(true);
}

/** Waits for the commits of servers that are not frozen. */
function canWrite(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 2_000 });
  try {
    database.exec("begin immediate");
    database.exec("rollback");
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** Two nodes on one store, and a proxy before the systems that can hold up connecting. */
async function startTwoNodes(kind: StoreKind) {
  const home = mkdtempSync(join(tmpdir(), "signalbox-frozen-"));
  cleanUpLater(async () => rmSync(home, { recursive: true, force: true }));
  const outside = await startOutside();
  cleanUpLater(outside.stop);
  const proxy = await startStallingProxy(Number(new URL(outside.address).port), 3);
  cleanUpLater(proxy.stop);
  const settings = {
    SIGNALBOX_SANDBOXES: `http://127.0.0.1:${proxy.port}`,
    SIGNALBOX_LEASE_SECONDS: "2",
    SIGNALBOX_SHARED_FOLDER: "on",
    SIGNALBOX_SETTLE_SECONDS: "3",
    ...(kind === "postgres" && { SIGNALBOX_DATABASE_URL_US: await newPostgresDatabase() }),
  };
  const first = await startServer(home, settings);
  cleanUpLater(first.kill);
  const second = await startServer(home, settings);
  cleanUpLater(second.kill);
  const { project_id, api_key, connections } = firstRunOf(home);
  const authorization = `Bearer ${project_id}:${api_key}`;
  const callerOf = (port: number) => {
    const caller = createCaller(port, 2);
    cleanUpLater(async () => caller.close());
    return async (operation: string, body: object) => (await caller.call(operation, body, { authorization })).body;
  };
  return {
    home,
    proxy,
    first,
    onFirst: callerOf(first.port),
    onSecond: callerOf(second.port),
    connection_id: connections?.analytics,
    sent: () => outside.sent("analytics", "POST", "/v1beta/properties"),
  };
}

// "The fence is checked last, when the socket is ready, against a monotonic clock that counts suspended time, and a request that
// is too late is not written." "It is never sent again by itself": another node has looked, and has ended the run by then.
describeOnBothStores("a node that is frozen while it connects for two writes", (kind) => {
  test("sends neither when it wakes up: another node has sent that of the tool, and found out about the single step", async () => {
    const { home, proxy, first, onFirst, onSecond, connection_id, sent } = await startTwoNodes(kind);
    const create = { name: "create", step: "create_properties", connection_id, input };
    const tool = { title: "Create", params_schema: { type: "object" }, steps: [create] };
    const { tool_id } = await onFirst("tools/create", tool);
    // Connecting the account has posted there, to learn what it may do.
    const before = await sent();

    await proxy.hold();
    const answer = onFirst("steps/create_properties/run", { connection_id, input: other, wait_seconds: 60 });
    const { run_id } = await onFirst(`tools/${tool_id}/trigger_async`, { params: {} });
    const attempts = async () => (await onSecond(`runs/${run_id}/get`, {})).steps[0]?.attempts.length;
    await expect.poll(attempts).toBe(1);
    const single = async () => {
      const { results } = await onSecond("runs/list", {});
      return results.find((each: { run_id: string }) => each.run_id !== run_id);
    };
    await expect.poll(single).toMatchObject({ status: "running" });
    await freezeBetweenCommits(first, home, kind);
    proxy.reopen();
    const status = async () => (await onSecond(`runs/${run_id}/get`, {})).status;
    await expect.poll(status, { timeout: 60_000, interval: 100 }).toBe("succeeded");
    await expect.poll(single, { timeout: 60_000, interval: 100 }).toMatchObject({ status: "failed" });
    expect(await sent()).toBe(before + 1);

    first.thaw();
    expect(await answer).toMatchObject({
      run_id: (await single()).run_id,
      status: "failed",
      problem: { code: "system_unavailable", detail: expect.stringContaining("the write did not happen") },
    });
    // It is awake again, and has done what it was about to do: it goes on with new work, which it writes.
    const again = await onFirst(`tools/${tool_id}/trigger`, { params: {} });
    expect(again).toMatchObject({ status: "succeeded" });
    expect(await sent()).toBe(before + 2);
  }, 120_000);
});
