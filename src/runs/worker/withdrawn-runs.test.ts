import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { aTool } from "../../../test/support/runs/runs.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { StoreUnavailable } from "../../store/db.ts";
import { toolDefinition } from "../../tools/definition.ts";
import type { StoreIn } from "./started-run.ts";
import { createWorker, type WorkerOptions } from "./worker.ts";

function startWorker({ app }: Platform, options: Partial<WorkerOptions>) {
  const { store, context, now } = app;
  const { steps: ports, compute } = context.rooms;
  const worker = createWorker({
    ports: { ...ports, compute, store, leaseSeconds: 3600, now },
    log: createLog("silent", process.stderr),
    ...options,
  });
  cleanUpLater(() => worker.stop());
  return worker;
}

/** The run of a tool that creates two deployments. Its commit happens, and nobody hears of it. */
function startLost(
  platform: Platform,
  worker: ReturnType<typeof startWorker>,
  mayBeWithdrawn: boolean,
  onStored: () => Promise<void> = async () => {},
) {
  const { store, now } = platform.app;
  const storeIn: StoreIn = async (work) => {
    await store.transaction(work);
    await onStored();
    throw new StoreUnavailable("unreachable", new Error("the answer to the commit got lost"));
  };
  const connection_id = platform.connections.deployment;
  const create = { step: "create_deployment", connection_id, input: { project: "web" } };
  const steps = [
    { name: "first", ...create },
    { name: "second", ...create },
  ];
  const start = {
    region: "us",
    organizationId: platform.owner.organizationId,
    projectId: platform.projectId,
    work: { kind: "tool", id: null, version: null, definition: toolDefinition.parse(aTool(steps)) },
    params: {},
    source: { kind: "call" },
    startedBy: platform.owner.userId,
    keyId: null,
    now: now(),
  } as const;
  return worker.start(start, { mayBeWithdrawn, storeIn });
}

// "Nothing is sent twice": the caller was refused and asks again without a key, so the first run must not send.
describeOnBothStores("a run of the queue that is stored although its caller was refused", (kind) => {
  test("is cancelled as soon as the store responds, and tells the workers", async () => {
    const platform = await startPlatform(kind);
    let told = 0;
    const onQueued = () => void told++;
    const node = startWorker(platform, { takesRuns: false, onQueued });
    await expect(startLost(platform, node, true)).rejects.toMatchObject({ reason: "unreachable" });
    const rows = () => platform.app.store.query("select status, fence, cancel_asked from runs");
    await expect.poll(rows).toEqual([{ status: "queued", fence: 0, cancel_asked: 1 }]);
    await expect.poll(() => told).toBe(1);
    await startWorker(platform, {}).begin();
    await expect.poll(rows).toMatchObject([{ status: "cancelled" }]);
    expect(await platform.sandboxes.deployment.requests("/v13/deployments")).toEqual([]);
  });

  test("stops at its next boundary if a worker has begun it", async () => {
    const platform = await startPlatform(kind);
    const created = "/v13/deployments";
    await platform.sandboxes.deployment.control("faults", { match: { method: "POST", path: created }, delay_ms: 1500 });
    const worker = startWorker(platform, {});
    await worker.begin();
    const node = startWorker(platform, { takesRuns: false });
    const sent = () => platform.sandboxes.deployment.requests(created);
    const lost = startLost(platform, node, true, async () => {
      worker.wake();
      await expect.poll(async () => (await sent()).length).toBe(1);
    });
    await expect(lost).rejects.toMatchObject({ reason: "unreachable" });
    const rows = () => platform.app.store.query("select status from runs");
    await expect.poll(rows, { timeout: 10_000 }).toEqual([{ status: "cancelled" }]);
    expect(await sent()).toHaveLength(1);
  });

  test("stays where a repeat with the same Idempotency-Key finds it", async () => {
    const platform = await startPlatform(kind);
    const node = startWorker(platform, { takesRuns: false });
    await expect(startLost(platform, node, false)).rejects.toMatchObject({ reason: "unreachable" });
    await node.stop();
    expect(await platform.app.store.query("select status, cancel_asked from runs")).toEqual([
      { status: "queued", cancel_asked: 0 },
    ]);
  });
});
