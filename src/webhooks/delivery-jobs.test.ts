import { expect, test } from "vitest";
import { cleanUpLater, describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { startDeliveries } from "../../test/support/webhooks/delivery-world.ts";
import { insertDeliveries, type ManyDeliveries } from "../../test/support/webhooks/many-deliveries.ts";
import { createLog } from "../kernel/log.ts";
import type { Store } from "../store/db.ts";
import { createDeliveryJobs } from "./delivery-jobs.ts";
import { createDispatcher } from "./dispatcher.ts";

/** More than two batches. */
const many = 1_260;
const log = createLog("info", { write: () => {} });

/** A webhook with many deliveries. */
async function startWithMany(kind: StoreKind, more: Partial<ManyDeliveries> = {}) {
  const world = await startDeliveries(kind);
  const { team, webhookId } = world;
  const { store, now } = team;
  const { organizationId } = team.owner;
  const at = now().toISOString();
  await insertDeliveries(store, { organizationId, webhookId, count: many, status: "failed", at, ...more });
  const counts = async (): Promise<Record<string, number>> => {
    const rows = await store.query<{ status: string; count: number }>(
      "select status, count(*) as count from deliveries where webhook_id = $1 group by status",
      [webhookId],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  };
  const areDone = () =>
    expect.poll(() => store.query("select kind from delivery_jobs"), { timeout: 20_000 }).toEqual([]);
  const openJobs = (of: Store = store) => {
    const jobs = createDeliveryJobs({ store: of, log, now, onQueued: () => {} });
    cleanUpLater(() => jobs.stop());
    return jobs;
  };
  const call = (what: string, body: object = {}) =>
    team.call(`webhooks/${webhookId}/${what}`, body, team.inProject(team.owner));
  return { ...world, counts, areDone, openJobs, call };
}

function openDispatcher({ team }: Awaited<ReturnType<typeof startWithMany>>) {
  const { outbound, keys, inviteCodes } = team.context.rooms.webhooks;
  const { store, now } = team;
  const dispatcher = createDispatcher({ store, keys, inviteCodes, outbound, log, now, random: Math.random });
  cleanUpLater(() => dispatcher.stop());
  return dispatcher;
}

describeOnBothStores("a webhook with more deliveries than one transaction changes", (kind) => {
  test("is replayed in parts: the response and the audit row name all, and each is queued once", async () => {
    const { team, webhookId, counts, areDone, openJobs, call } = await startWithMany(kind);
    expect((await call("replay")).body).toEqual({ webhook_id: webhookId, queued: many });
    expect(await team.lastAudit()).toMatchObject({
      action: "webhook.replayed",
      target: webhookId,
      details: { queued: many },
    });
    expect(await counts()).toEqual({ pending: 500, failed: many - 500 });
    // One that fails again meanwhile is not sent a second time.
    await team.store.transaction((db) =>
      db.query("update deliveries set status = 'failed', send_at = null where id = (select min(id) from deliveries)"),
    );
    openJobs().wake();
    await areDone();
    expect(await counts()).toEqual({ pending: many - 1, failed: 1 });
  });

  test("replays only what was announced since a time, however much is older", async () => {
    const { team, webhookId, counts, areDone, openJobs, call } = await startWithMany(kind);
    team.advance(3600);
    const since = team.now().toISOString();
    const { organizationId } = team.owner;
    const later = { organizationId, webhookId, count: 700, status: "failed", at: since, name: "1" } as const;
    await insertDeliveries(team.store, later);
    expect((await call("replay", { failed_since: since })).body.queued).toBe(700);
    openJobs().wake();
    await areDone();
    expect(await counts()).toEqual({ pending: 700, failed: many });
  });

  test("continues a replay that another process began, and ends it if the webhook is disabled", async () => {
    const { team, counts, areDone, openJobs, call } = await startWithMany(kind);
    await call("replay");
    let transactions = 0;
    const dying: Store = {
      ...team.store,
      transaction: (work) =>
        ++transactions === 2 ? Promise.reject(new Error("the process has died")) : team.store.transaction(work),
    };
    const first = openJobs(dying);
    first.wake();
    await expect.poll(counts).toEqual({ pending: 1000, failed: many - 1000 });
    await first.stop();
    const later = openJobs();
    later.wake();
    await areDone();
    expect(await counts()).toEqual({ pending: many });

    await team.store.transaction((db) => db.query("update deliveries set status = 'failed', send_at = null"));
    expect((await call("replay")).body.queued).toBe(many);
    await call("update", { status: "disabled" });
    later.wake();
    await areDone();
    expect(await counts()).toEqual({ pending: 500, failed: many - 500 });
  });

  test("that responds with 410 fails all of them, also those of later batches", async () => {
    const tomorrow = { status: "pending", at: "2099-01-01T00:00:00.000Z" } as const;
    const world = await startWithMany(kind, tomorrow);
    const { receiver, announceRun, counts, areDone, record } = world;
    const dispatcher = openDispatcher(world);
    receiver.answerWith(410);
    await announceRun();
    await dispatcher.sendDue();
    expect([(await record()).status, await counts()]).toEqual(["disabled", { failed: 501, pending: many - 500 }]);
    dispatcher.wake();
    await areDone();
    expect(await counts()).toEqual({ failed: many + 1 });
  });

  test("that responds with 410 and is enabled at once keeps what has not failed yet", async () => {
    const tomorrow = { status: "pending", at: "2099-01-01T00:00:00.000Z" } as const;
    const world = await startWithMany(kind, tomorrow);
    const { receiver, announceRun, counts, areDone, openJobs, call } = world;
    receiver.answerWith(410);
    await announceRun();
    await openDispatcher(world).sendDue();
    expect((await call("update", { status: "enabled" })).body.status).toBe("enabled");
    openJobs().wake();
    await areDone();
    expect(await counts()).toEqual({ failed: 501, pending: many - 500 });
  });

  test("is deleted at once: nothing more is sent, and its deliveries are deleted in parts", async () => {
    const world = await startWithMany(kind, { status: "pending" });
    const { team, receiver, webhookId, counts, areDone, call } = world;
    expect((await call("delete")).body).toEqual({ webhook_id: webhookId, deleted: true });
    expect(await team.lastAudit()).toMatchObject({ action: "webhook.deleted", target: webhookId });
    expect((await call("get")).body.code).toBe("webhook_not_found");
    expect(await counts()).toEqual({ pending: many - 500 });
    const dispatcher = openDispatcher(world);
    expect(await dispatcher.sendDue()).toBe(0);
    dispatcher.wake();
    await areDone();
    expect([await counts(), receiver.received]).toEqual([{}, []]);
  });
});
