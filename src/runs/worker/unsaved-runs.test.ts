import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { aTool } from "../../../test/support/runs/runs.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { StoreUnavailable } from "../../store/db.ts";
import { toolDefinition } from "../../tools/definition.ts";
import type { Vault } from "../../vault/vault.ts";
import type { StartOptions, StoreIn } from "./started-run.ts";
import { createWorker } from "./worker.ts";

/** A worker that stores no run just because it takes long, and what its runs did to be stored. */
function start(platform: Platform, steps: object[], given: StartOptions & { vault?: Partial<Vault> } = {}) {
  const { store, context, now } = platform.app;
  const { steps: ports, compute } = context.rooms;
  const worker = createWorker({
    ports: { ...ports, compute, store, leaseSeconds: 60, now, vault: { ...ports.vault, ...given.vault } },
    log: createLog("silent", process.stderr),
    unsavedSeconds: 3600,
  });
  cleanUpLater(() => worker.stop());
  const stored: string[] = [];
  const storeIn: StoreIn = async (work, runId, hasEnded) => {
    stored.push(hasEnded ? "ended" : "open");
    return given.storeIn ? given.storeIn(work, runId, hasEnded) : store.transaction(work);
  };
  const started = worker.start(
    {
      region: "us",
      organizationId: platform.owner.organizationId,
      projectId: platform.projectId,
      work: { kind: "tool", id: null, version: null, definition: toolDefinition.parse(aTool(steps)) },
      params: {},
      source: { kind: "call" },
      startedBy: platform.owner.userId,
      keyId: null,
      now: now(),
    },
    { mayBeUnsaved: true, ...given, storeIn },
  );
  const rows = () => store.query("select status, finished_at is not null as done, fence, worker from runs");
  return { worker, started, stored, rows };
}

const refused: StoreIn = () => Promise.reject(new Problem("credentials_invalid"));

/** The commit happens, and nobody hears of it. */
const loseAnswer =
  ({ app }: Platform): StoreIn =>
  async (work) => {
    await app.store.transaction(work);
    throw new StoreUnavailable("unreachable", new Error("the answer to the commit got lost"));
  };

const look = (platform: Platform, name: string) => ({
  name,
  step: "list_deployments",
  connection_id: platform.connections.deployment,
  input: {},
});
const looked = "/v6/deployments";
const create = (platform: Platform) => ({
  name: "create",
  step: "create_deployment",
  connection_id: platform.connections.deployment,
  input: { project: "web" },
});
const created = "/v13/deployments";

async function hold(platform: Platform, method: string, path: string): Promise<void> {
  await platform.sandboxes.deployment.control("faults", { match: { method, path }, delay_ms: 1500 });
}

const untilAsked = (platform: Platform, path: string) =>
  expect.poll(async () => (await platform.sandboxes.deployment.requests(path)).length, { interval: 5 }).toBe(1);

describeOnBothStores("a run that its caller waits for", (kind) => {
  test("is stored once if it only reads, with its end and all its steps", async () => {
    const platform = await startPlatform(kind);
    await hold(platform, "GET", looked);
    const { started, stored, rows } = start(platform, [look(platform, "first"), look(platform, "second")]);
    const { run, left } = await started;
    await untilAsked(platform, looked);
    expect(await rows()).toEqual([]);
    expect(await left).toMatchObject({ end: { status: "succeeded" } });
    expect(stored).toEqual(["ended"]);
    expect(await rows()).toMatchObject([{ status: "succeeded", fence: 1, worker: null }]);
    const { body } = await platform.call(`runs/${run.id}/get`);
    expect(body.steps).toMatchObject([
      { name: "first", status: "succeeded" },
      { name: "second", status: "succeeded" },
    ]);
    expect(body.output).toEqual(body.steps[1].output);
  });

  test("is stored before its first write is sent, and before it waits", async () => {
    const platform = await startPlatform(kind);
    await hold(platform, "POST", created);
    const writing = start(platform, [look(platform, "first"), create(platform)]);
    const { run, left } = await writing.started;
    await untilAsked(platform, created);
    expect(writing.stored).toEqual(["open"]);
    const { body } = await platform.call(`runs/${run.id}/get`);
    expect(body).toMatchObject({
      status: "running",
      steps: [
        { name: "first", status: "succeeded" },
        { name: "create", status: "running", attempts: [{ effect: "read" }, { effect: "create" }] },
      ],
    });
    expect(await left).toMatchObject({ end: { status: "succeeded" } });

    const waiting = start(platform, [{ name: "rest", step: "wait", input: { seconds: 3600 } }]);
    expect(await (await waiting.started).left).toMatchObject({ end: { status: "waiting" } });
    expect(waiting.stored).toEqual(["open"]);
    expect((await waiting.rows()).map(({ status }) => status).toSorted()).toEqual(["succeeded", "waiting"]);
  });

  test("is stored when its caller no longer waits, or the worker stops", async () => {
    const platform = await startPlatform(kind);
    await hold(platform, "GET", looked);
    const { worker, started, stored, rows } = start(platform, [look(platform, "first")]);
    const { left, save } = await started;
    await Promise.all([save(), save()]);
    expect(await rows()).toMatchObject([{ status: "running", fence: 1, worker: worker.name }]);
    expect(await left).toMatchObject({ end: { status: "succeeded" } });
    expect(stored).toEqual(["open"]);

    await hold(platform, "GET", looked);
    const stopping = start(platform, [look(platform, "first")]);
    await stopping.started;
    await stopping.worker.stop();
    expect(stopping.stored).toEqual(["open"]);
  });

  test("leaves nothing and sends nothing if it may not be stored: its caller learns why", async () => {
    const platform = await startPlatform(kind);
    for (const step of [create(platform), look(platform, "first")]) {
      const { started, rows } = start(platform, [step], { storeIn: refused });
      await expect((await started).left).rejects.toMatchObject({ code: "credentials_invalid" });
      expect(await rows()).toEqual([]);
    }
    expect(await platform.sandboxes.deployment.requests(created)).toEqual([]);
    await hold(platform, "GET", looked);
    const { left, save } = await start(platform, [look(platform, "slow")], { storeIn: refused }).started;
    const refusal = expect(left).rejects.toMatchObject({ code: "credentials_invalid" });
    await expect(save()).rejects.toMatchObject({ code: "credentials_invalid" });
    await refusal;
  });

  // "Bad days": a later attempt that succeeds would leave a run that nobody works on.
  test("is never stored after an attempt has failed", async () => {
    const platform = await startPlatform(kind);
    await hold(platform, "GET", looked);
    const { store } = platform.app;
    let isDown = true;
    const storeIn: StoreIn = async (work) => {
      if (isDown) throw new StoreUnavailable("unreachable", new Error("a failover"));
      return store.transaction(work);
    };
    const { started, stored, rows } = start(platform, [look(platform, "slow")], { storeIn });
    const { left, save } = await started;
    const refusal = expect(left).rejects.toMatchObject({ reason: "unreachable" });
    await expect(save()).rejects.toMatchObject({ reason: "unreachable" });
    isDown = false;
    await expect(save()).rejects.toMatchObject({ reason: "unreachable" });
    await refusal;
    expect(stored).toEqual(["open"]);
    expect(await rows()).toEqual([]);
  });

  // "A refused run may still run": its lease ended, and another worker executed it, writes included.
  test.each([
    ["a caller that waits", true, {}],
    ["a caller that does not", false, { mayBeWithdrawn: true }],
  ])("is cancelled if it was stored though its caller was refused: %s", async (_, isUnsaved, options) => {
    const platform = await startPlatform(kind);
    const { started, worker, rows } = start(platform, [create(platform)], {
      ...options,
      mayBeUnsaved: isUnsaved,
      storeIn: loseAnswer(platform),
    });
    await expect(isUnsaved ? (await started).left : started).rejects.toMatchObject({ reason: "unreachable" });
    expect(await rows()).toMatchObject([{ status: "running", done: expect.toSatisfy((done) => !done), fence: 1 }]);
    await worker.begin();
    await expect.poll(rows).toMatchObject([{ status: "cancelled", worker: null }]);
    expect(await platform.sandboxes.deployment.requests(created)).toEqual([]);
    expect(await platform.app.store.query("select position from run_steps where finished_at is null")).toEqual([]);
    expect(await platform.app.store.query("select intent_id from write_intents")).toEqual([]);
  });

  test("is left to its lease where a repeat with the same Idempotency-Key finds it", async () => {
    const platform = await startPlatform(kind);
    const options = { mayBeUnsaved: false, storeIn: loseAnswer(platform) };
    const { started, worker, rows } = start(platform, [create(platform)], options);
    await expect(started).rejects.toMatchObject({ reason: "unreachable" });
    await worker.begin();
    expect(await rows()).toMatchObject([{ status: "running", worker: worker.name }]);
  });

  test("that fails while it is being stored goes back into the queue", async () => {
    const platform = await startPlatform(kind);
    const { store } = platform.app;
    const asked = Promise.withResolvers<void>();
    const found = Promise.withResolvers<never>();
    const find = () => {
      asked.resolve();
      return found.promise;
    };
    const storing = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const storeIn: StoreIn = async (work) => {
      storing.resolve();
      await released.promise;
      return store.transaction(work);
    };
    const { started, rows } = start(platform, [look(platform, "first")], { storeIn, vault: { find } });
    const { left, save } = await started;
    await asked.promise;
    const saved = save();
    await storing.promise;
    found.reject(new StoreUnavailable("unreachable", new Error("a failover")));
    await new Promise((resolve) => setImmediate(resolve));
    released.resolve();
    await saved;
    expect(await left).toBeNull();
    expect(await rows()).toMatchObject([{ status: "queued", worker: null }]);
  });
});
