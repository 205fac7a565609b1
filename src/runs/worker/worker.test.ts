import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { aTool, queueTool } from "../../../test/support/runs/runs.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { toolDefinition } from "../../tools/definition.ts";
import { releaseExpiredLeases } from "../queue/queue.ts";
import { createWorker, type Worker } from "./worker.ts";

describeOnBothStores("a worker that was paused for too long", (kind) => {
  test("may claim a run again that it has lost: the first claim ends silently, and the second still holds the run", async () => {
    const platform = await startPlatform(kind);
    const { store, context, now } = platform.app;
    const { deployment } = platform.sandboxes;
    // The app's context holds the whole worker, though its operations need less.
    const worker = context.rooms.runs as Worker;
    const match = { method: "GET", path: "/v6/deployments" };
    await deployment.control("faults", { match, delay_ms: 3000 });
    await deployment.control("faults", { match, delay_ms: 4000 });
    const step = { name: "look", step: "list_deployments", connection_id: platform.connections.deployment, input: {} };
    const definition = toolDefinition.parse({ title: "Looks", params_schema: { type: "object" }, steps: [step] });
    const { run, left } = await worker.start({
      region: "us",
      organizationId: platform.owner.organizationId,
      projectId: platform.projectId,
      work: { kind: "tool", id: null, version: null, definition },
      params: {},
      source: { kind: "call" },
      startedBy: platform.owner.userId,
      keyId: null,
      now: now(),
    });
    await untilAsked(deployment, match.path, 1);

    // As another node does once the lease has expired.
    await store.transaction(async (db) => {
      expect(await releaseExpiredLeases(db, new Date(now().getTime() + 3_600_000).toISOString())).toBe(1);
      await db.query("update runs set run_at = $2 where id = $1", [run.id, now().toISOString()]);
    });
    worker.wake();
    await untilAsked(deployment, match.path, 2);
    expect(await left).toBeNull();

    // Stopping waits for the runs that the worker holds, so the second claim has ended.
    await worker.stop();
    const [row] = await store.query("select status, fence from runs where id = $1", [run.id]);
    expect(row).toEqual({ status: "succeeded", fence: 2 });
  });
});

describeOnBothStores("a worker that has just begun", (kind) => {
  // "On restart, or when a worker dies and its lease runs out": a process that keeps dying young recovers runs only
  // here.
  test("takes over the runs of a dead worker at once, before its first poll", async () => {
    const platform = await startPlatform(kind);
    const { store, context, now } = platform.app;
    const runId = await queueTool(platform, aTool([{ name: "rest", step: "wait", input: { seconds: 0 } }]));
    await store.transaction((db) =>
      db.query(
        "update runs set status = 'running', worker = 'w_gone', fence = 1, run_at = null, lease_until = $2 where id = $1",
        [runId, later(now(), 1800).toISOString()],
      ),
    );
    const worker = createWorker({
      // An hour ahead: for the platform's own worker the lease has not expired.
      ports: {
        ...context.rooms.steps,
        compute: context.rooms.compute,
        store,
        leaseSeconds: 3600,
        now: () => later(now(), 3600),
      },
      log: createLog("silent", process.stderr),
      pollSeconds: 3600,
    });
    cleanUpLater(() => worker.stop());
    await worker.begin();
    const read = () => store.query("select status, fence from runs where id = $1", [runId]);
    await expect.poll(read).toEqual([{ status: "succeeded", fence: 2 }]);
  });
});

describeOnBothStores("a run whose worker fails every time", (kind) => {
  const record = `insert into run_steps
      (run_id, position, turn, name, step_id, status, output_bytes, attempts, warnings, written, tries, looks, started_at)
    values ($1, 0, -1, 'rest', 'wait', 'running', 0, $2, '[]', '[]', 1, 0, '')`;
  test.each([
    [
      "its definition",
      "update runs set definition = $2 where id = $1",
      JSON.stringify(aTool([null])),
      /"internal".*10 times/,
    ],
    // "Damaged runs loop forever": their claims were released with each lease.
    ["a row that cannot be read", "update runs set params = $2 where id = $1", "{", /"internal".*10 times/],
    ["a journal that cannot be read", record, "{", /"internal".*10 times.*check in the systems/],
  ])("is retried some times, with growing pauses, and then fails: for %s", async (_, statement, text, ends) => {
    const platform = await startPlatform(kind);
    const { store, advance } = platform.app;
    const runId = await queueTool(platform, aTool([{ name: "rest", step: "wait", input: { seconds: 0 } }]));
    await store.transaction((db) => db.query(statement, [runId, text]));
    const claims = async () =>
      (
        await store.query<{ fence: number; status: string }>("select fence, status from runs where id = $1", [runId])
      )[0];
    for (let claim = 1; claim <= 10; claim++) {
      platform.app.context.rooms.runs.wake();
      await expect.poll(claims).toEqual({ fence: claim, status: "queued" });
      advance(61);
    }
    platform.app.context.rooms.runs.wake();
    const ended = "select status, problem, worker, run_at from runs where id = $1";
    const problem = expect.stringMatching(ends);
    await expect
      .poll(() => store.query(ended, [runId]))
      .toEqual([{ status: "failed", problem, worker: null, run_at: null }]);
  });
});

describeOnBothStores("a worker without room", (kind) => {
  // "LISTEN and NOTIFY to wake workers": idle workers beside it would find the run only with their next poll.
  test("tells the others that a run is due, and is silent while it has room", async () => {
    const platform = await startPlatform(kind);
    const { store, context, now } = platform.app;
    const { deployment } = platform.sandboxes;
    await deployment.control("faults", { match: { method: "GET", path: "/v6/deployments" }, delay_ms: 2000, times: 4 });
    let told = 0;
    const worker = createWorker({
      ports: { ...context.rooms.steps, compute: context.rooms.compute, store, leaseSeconds: 3600, now },
      log: createLog("silent", process.stderr),
      capacity: 1,
      onQueued: () => void told++,
    });
    cleanUpLater(() => worker.stop());
    worker.wake();
    expect(told).toBe(0);
    const step = { name: "look", step: "list_deployments", connection_id: platform.connections.deployment, input: {} };
    const definition = toolDefinition.parse(aTool([step]));
    const start = () =>
      worker.start({
        region: "us",
        organizationId: platform.owner.organizationId,
        projectId: platform.projectId,
        work: { kind: "tool", id: null, version: null, definition },
        params: {},
        source: { kind: "call" },
        startedBy: platform.owner.userId,
        keyId: null,
        now: now(),
      });
    const runs = await Promise.all([start(), start(), start(), start()]);
    worker.wake();
    expect(told).toBe(1);
    await Promise.all(runs.map(({ left }) => left));
    worker.wake();
    expect(told).toBe(1);
  });
});

const later = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);

async function untilAsked(sandbox: { requests(path: string): Promise<unknown[]> }, path: string, times: number) {
  while ((await sandbox.requests(path)).length < times) await new Promise((resolve) => setTimeout(resolve, 5));
}
