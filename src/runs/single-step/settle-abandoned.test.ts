import { expect, test, vi } from "vitest";
import { type Platform, startPlatform, systemOfStep } from "../../../test/support/platform.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { writeProperty } from "../../../test/support/systems/outside-signalbox.ts";
import { createLog } from "../../kernel/log.ts";
import { announceRuns } from "../../start/region/announce-to-webhooks.ts";
import { findStep } from "../../systems/index.ts";
import type { Run } from "../runs.ts";
import { createWorker, type Worker } from "../worker/worker.ts";
import { settleAbandoned } from "./settle-abandoned.ts";
import { insertStepRun, newStepRun, updateRunning } from "./step-run.ts";

/** A run as a process leaves it that dies between its request and the answer. */
async function abandoned(
  platform: Platform,
  stepId: string,
  params: object,
  effect: "create" | "update" | null,
): Promise<Run> {
  const { now, store } = platform.app;
  const step = findStep(stepId);
  if (!step) throw new Error(`There is no step ${stepId}.`);
  const run = newStepRun({
    region: "us",
    organizationId: platform.owner.organizationId,
    projectId: platform.projectId,
    step,
    connectionId: platform.connections[systemOfStep(stepId)],
    params,
    startedBy: platform.owner.userId,
    keyId: null,
    now: now(),
    leaseSeconds: 60,
  });
  const request = { method: "POST", url: "https://example.com/", headers: {} };
  const attempts = effect === null ? [] : [{ request, effect, sent_at: now().toISOString(), waited_ms: 0 }];
  await store.transaction((db) => insertStepRun(db, { ...run, attempts }));
  return { ...run, attempts };
}

const property = (display_name: string) => ({
  account_id: "100",
  display_name,
  time_zone: "Asia/Tokyo",
  currency_code: "JPY",
});

/** Heartbeats come only as the test lets time pass: on a slow machine, one of the server itself would settle a run first. */
function holdHeartbeats(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  cleanUpLater(async () => void vi.useRealTimers());
}

/** The workers renew their leases, which is durable once this holds: leases have 30 seconds from now. */
async function passHeartbeat(platform: Platform, { id }: Run): Promise<void> {
  const { now, store } = platform.app;
  const until = new Date(now().getTime() + 30_000).toISOString();
  await vi.advanceTimersByTimeAsync(10_000);
  const lease = async () =>
    (await store.query<{ lease_until: string }>("select lease_until from runs where id = $1", [id]))[0]?.lease_until;
  await expect.poll(lease).toSatisfy((renewed: string) => renewed >= until);
}

describeOnBothStores("a call of one step whose process died", (kind) => {
  test("is probed at the system before a person is asked, and nothing is sent again", async () => {
    holdHeartbeats();
    const platform = await startPlatform(kind);
    const { app, call, sandboxes } = platform;
    const wish = { url: "https://hooks.example.com/signalbox", events: ["run.outcome_unknown"] };
    const { body: hook } = await call("webhooks/create", wish);
    const made = await abandoned(platform, "create_properties", property("Made"), "create");
    const notMade = await abandoned(platform, "create_properties", property("Not made"), "create");
    const hidden = await abandoned(platform, "create_properties", property("[secret]"), "create");
    const { marketing } = sandboxes;
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    const fires = { method: "POST", endpoint, body: { input: { leads: [{ id: marketing.ids.lead_id }] } } };
    const cannotTell = await abandoned(platform, "marketing_api_call", fires, "create");
    const unsent = await abandoned(platform, "marketing_api_call", fires, null);
    // As its own request would have: no other run has asked for that name.
    const body = { parent: "accounts/100", displayName: "Made", timeZone: "Asia/Tokyo", currencyCode: "JPY" };
    await writeProperty(sandboxes.analytics, body);
    const sentBefore = (await sandboxes.analytics.requests("/v1beta/properties")).filter(
      (each) => each.method === "POST",
    );

    app.advance(61);
    const { steps, compute } = app.context.rooms;
    const ports = { ...steps, compute, leaseSeconds: 30, onLeft: announceRuns(() => {}, app.now) };
    const worker = createWorker({ ports, log: createLog("error", process.stderr) });
    cleanUpLater(() => worker.stop());
    expect(await settleAbandoned(ports, worker)).toBe(5);
    expect(await settleAbandoned(ports, worker)).toBe(0);

    const ends = await Promise.all([made, notMade, hidden, cannotTell, unsent].map(({ id }) => call(`runs/${id}/get`)));
    expect(ends.map(({ body }) => [body.status, body.problem?.code])).toEqual([
      ["succeeded", undefined],
      ["failed", "system_unavailable"],
      ["outcome_unknown", "outcome_unknown"],
      ["outcome_unknown", "outcome_unknown"],
      ["failed", "system_unavailable"],
    ]);
    expect(ends[0]?.body).toMatchObject({
      output: { display_name: "Made" },
      warnings: [expect.stringContaining("lost")],
    });
    expect(ends[0]?.body.steps[0].attempts).toHaveLength(2);
    const sent = (await sandboxes.analytics.requests("/v1beta/properties")).filter((each) => each.method === "POST");
    expect([sent.length, (await marketing.requests(endpoint)).length]).toEqual([sentBefore.length, 0]);

    // A run whose caller still waits is announced as well: a person settles it, not the caller.
    await marketing.control("faults", { match: { method: "POST", path: endpoint }, drop: "after" });
    const { body: live } = await platform.run("marketing_api_call", fires);
    expect(live.status).toBe("outcome_unknown");
    const { body: deliveries } = await call(`webhooks/${hook.webhook_id}/deliveries`);
    expect(
      deliveries.results.map((each: { body: { data: { run_id: string } } }) => each.body.data.run_id).toSorted(),
    ).toEqual([hidden.id, cannotTell.id, live.run_id].toSorted());

    // A process that was declared dead, and was only slow, can write nothing any more.
    await app.store.transaction(async (db) => {
      expect(await updateRunning(db, { ...made, status: "failed" }, made)).toBe(false);
    });
  });

  // Since the backup, others may have changed the record that this write has changed.
  test.each([
    ["fails if the record has other values", null, "failed"],
    ["waits for a person instead after a restore", "restored", "outcome_unknown"],
  ])("and that changed a record %s", async (_, restored, end) => {
    const platform = await startPlatform(kind);
    const { app, call, sandboxes } = platform;
    const lead = { email: sandboxes.marketing.ids.lead_email, firstName: "Another" };
    const body = { action: "updateOnly", lookupField: "email", input: [lead] };
    const renames = { method: "POST", endpoint: "/rest/v1/leads.json", body };
    const { id } = await abandoned(platform, "marketing_api_call", renames, "update");
    app.advance(61);
    const { steps, compute } = app.context.rooms;
    const restoredAt = restored && app.now().toISOString();
    const sleep = async (milliseconds: number) => app.advance(milliseconds / 1000);
    const ports = { ...steps, compute, leaseSeconds: 30, restoredAt, sleep };
    const worker = createWorker({ ports, log: createLog("error", process.stderr) });
    cleanUpLater(() => worker.stop());
    expect(await settleAbandoned(ports, worker)).toBe(1);
    expect((await call(`runs/${id}/get`)).body.status).toBe(end);
  });

  // "Single-step runs of a dead node: their lease is that of tool runs, renewed while they live."
  test("counts as dead after the lease of any run, and not while its process renews it", async () => {
    holdHeartbeats();
    const platform = await startPlatform(kind);
    const { app, call } = platform;
    const { steps, compute } = app.context.rooms;
    const ports = { ...steps, compute, leaseSeconds: 30 };
    const worker = createWorker({ ports, log: createLog("error", process.stderr) });
    cleanUpLater(() => worker.stop());
    const made = await abandoned(platform, "create_properties", property("Slow"), null);
    const hold = worker.hold(made.id, 1);
    const { worker: name, fence, leaseUntil } = hold;
    expect(new Date(leaseUntil).getTime()).toBeLessThanOrEqual(app.now().getTime() + 30_000);
    await app.store.transaction((db) =>
      db.query("update runs set worker = $2, fence = $3, lease_until = $4 where id = $1", [
        made.id,
        name,
        fence,
        leaseUntil,
      ]),
    );
    for (let round = 0; round < 3; round++) {
      app.advance(15);
      await passHeartbeat(platform, made);
    }
    expect(await settleAbandoned(ports, worker)).toBe(0);
    expect((await call(`runs/${made.id}/get`)).body.status).toBe("running");

    // Its process is dead. A heartbeat that is still under way would settle it first.
    hold.release();
    await Promise.all([worker, app.context.rooms.runs as Worker].map((each) => each.stop()));
    app.advance(31);
    expect(await settleAbandoned(ports, worker)).toBe(1);
    expect((await call(`runs/${made.id}/get`)).body).toMatchObject({
      status: "failed",
      problem: { code: "system_unavailable" },
    });
    await app.store.transaction(async (db) => {
      expect(await updateRunning(db, { ...made, status: "succeeded" }, hold)).toBe(false);
    });
  });

  // "Their lease is that of tool runs, renewed while they live": this holds for the node that settles them, too.
  test("is settled by another node soon after the settling node died, and not while that one lives", async () => {
    holdHeartbeats();
    const platform = await startPlatform(kind, { settleSeconds: 0 });
    const { app, call } = platform;
    const { steps, compute } = app.context.rooms;
    const ports = { ...steps, compute, leaseSeconds: 30 };
    const [dying, other] = [1, 2].map(() => createWorker({ ports, log: createLog("error", process.stderr) }));
    if (!dying || !other) throw new Error("Two workers are needed.");
    cleanUpLater(() => Promise.all([dying.stop(), other.stop()]));
    const run = await abandoned(platform, "create_properties", property("Orphan"), "create");
    app.advance(61);
    const [probing, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const outbound: typeof ports.outbound = {
      ...ports.outbound,
      async send(request) {
        probing.resolve();
        await answered.promise;
        return ports.outbound.send(request);
      },
    };
    const settling = settleAbandoned({ ...ports, outbound }, dying);
    await probing.promise;
    const [row] = await app.store.query<{ lease_until: string }>("select lease_until from runs where id = $1", [
      run.id,
    ]);
    expect(new Date(row?.lease_until ?? "").getTime()).toBeLessThanOrEqual(app.now().getTime() + 30_000);
    app.advance(20);
    await passHeartbeat(platform, run);
    app.advance(20);
    expect(await settleAbandoned(ports, other)).toBe(0);

    // From here on the node renews nothing, and no heartbeat that is still under way settles the run first.
    await Promise.all([dying, other, app.context.rooms.runs as Worker].map((each) => each.stop()));
    app.advance(31);
    expect(await settleAbandoned(ports, other)).toBe(1);
    const ended = (await call(`runs/${run.id}/get`)).body;
    expect(ended).toMatchObject({ status: "failed", problem: { code: "system_unavailable" } });
    answered.resolve();
    expect(await settling).toBe(1);
    expect((await call(`runs/${run.id}/get`)).body).toEqual(ended);
  });
});
