import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { aTime } from "../../test/support/team.ts";
import { startDeliveries } from "../../test/support/webhooks/delivery-world.ts";
import { isGenuine, startReceiver } from "../../test/support/webhooks/receiver.ts";
import { createLog } from "../kernel/log.ts";
import { announce } from "./announce.ts";
import { createDispatcher } from "./dispatcher.ts";

describeOnBothStores("an event that was announced", (kind) => {
  test("arrives once, signed by Standard Webhooks, with what happened and whom it concerns", async () => {
    const { team, receiver, secret, announceRun, sendDue, deliveries, webhookId } = await startDeliveries(kind);
    expect(await announceRun()).toBe(1);
    expect(await sendDue()).toBe(1);
    expect(await sendDue()).toBe(0);
    expect(receiver.received).toHaveLength(1);
    const [event] = receiver.received;
    if (!event) throw new Error("Nothing was received.");
    expect(event.body).toEqual({
      type: "run.failed",
      timestamp: aTime,
      organization_id: team.owner.organizationId,
      project_id: team.projectId,
      data: { run_id: "run_us_1", status: "failed" },
    });
    expect(event.id).toMatch(/^evt_us_/);
    expect(event.signature).toMatch(/^v1,[\w+/]+=*$/);
    expect(isGenuine(event, secret)).toBe(true);
    expect(isGenuine({ ...event, text: event.text.replace("failed", "wailed") }, secret)).toBe(false);
    expect(await deliveries()).toMatchObject([
      {
        delivery_id: expect.stringMatching(/^dlv_us_/),
        webhook_id: webhookId,
        event_id: event.id,
        status: "delivered",
        attempts: 1,
        response_status: 204,
        problem: null,
        body: event.body,
        next_attempt_at: null,
      },
    ]);
  });

  test("goes to no webhook that does not subscribe to it, and is not stored if its change is rolled back", async () => {
    const { team, announceRun, sendDue, receiver, deliveries } = await startDeliveries(kind);
    expect(await announceRun("run.succeeded")).toBe(0);
    const undone = team.store.transaction(async (db) => {
      const { organizationId } = team.owner;
      const data = {};
      await announce(db, { organizationId, projectId: team.projectId, type: "run.failed", data, now: team.now() });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect([await sendDue(), receiver.received, await deliveries()]).toEqual([0, [], []]);
  });

  test("of another project or organization is not received; an organization's webhook receives all of its own", async () => {
    const { team, receiver, sendDue } = await startDeliveries(kind);
    const other = await team.project(team.owner, "Another");
    const neighbour = await team.neighbour();
    const whole = { url: receiver.url, events: ["*"], whole_organization: true };
    expect((await team.call("webhooks/create", whole, team.inProject(team.owner))).status).toBe(200);
    const tell = (organizationId: string, projectId: string | null, type: "run.failed" | "key.created") =>
      team.store.transaction((db) => announce(db, { organizationId, projectId, type, data: {}, now: team.now() }));
    expect(await tell(team.owner.organizationId, other, "run.failed")).toBe(1);
    expect(await tell(team.owner.organizationId, null, "key.created")).toBe(1);
    expect(await tell(team.owner.organizationId, team.projectId, "run.failed")).toBe(2);
    expect(await tell(neighbour.owner.organizationId, neighbour.projectId, "run.failed")).toBe(0);
    expect(await sendDue()).toBe(4);
    const ids = receiver.received.map(({ id, body }) => [body.project_id, id] as const);
    expect(new Set(ids.filter(([project]) => project === team.projectId).map(([, id]) => id)).size).toBe(1);
  });

  test("carries two signatures while its secret is rotated, and one afterwards", async () => {
    const { team, receiver, secret, announceRun, sendDue, webhookId } = await startDeliveries(kind);
    const rotated = await team.call(
      `webhooks/${webhookId}/rotate_secret`,
      { overlap_seconds: 60 },
      team.inProject(team.owner),
    );
    expect(rotated.body).toMatchObject({ webhook_secret: expect.stringMatching(/^whsec_/), old_expires_at: aTime });
    const next = rotated.body.webhook_secret;
    await announceRun();
    await sendDue();
    const [during] = receiver.received;
    if (!during) throw new Error("Nothing was received.");
    expect(during.signature.split(" ")).toHaveLength(2);
    expect([isGenuine(during, secret), isGenuine(during, next)]).toEqual([true, true]);
    team.advance(61);
    await announceRun();
    await sendDue();
    const [, after] = receiver.received;
    if (!after) throw new Error("Nothing more was received.");
    expect([isGenuine(after, secret), isGenuine(after, next)]).toEqual([false, true]);
  });

  test("is sent by one of several dispatchers, and by another if one of them dies", async () => {
    const { team, receiver, announceRun, deliveries } = await startDeliveries(kind);
    const { outbound, keys, inviteCodes } = team.context.rooms.webhooks;
    const log = createLog("info", { write: () => {} });
    const open = (send = outbound.send) =>
      createDispatcher({
        store: team.store,
        keys,
        inviteCodes,
        outbound: { ...outbound, send },
        log,
        now: team.now,
        random: Math.random,
      });
    for (let i = 0; i < 20; i++) await announceRun();
    const queues = [open(), open(), open()];
    const counts = await Promise.all(queues.map((queue) => queue.sendDue()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(20);
    expect(receiver.received).toHaveLength(20);

    await announceRun();
    const taken = Promise.withResolvers<void>();
    const dying = open(() => {
      taken.resolve();
      return new Promise(() => {});
    });
    void dying.sendDue();
    await taken.promise;
    const other = open();
    expect(await other.sendDue()).toBe(0);
    team.advance(121);
    expect(await other.sendDue()).toBe(1);
    expect((await deliveries())[0]).toMatchObject({ status: "delivered", attempts: 1 });
  });

  test("is not delayed by another address that is slow and has many deliveries", async () => {
    const { team, receiver, announceRun, sendDue } = await startDeliveries(kind);
    const { outbound, keys, inviteCodes } = team.context.rooms.webhooks;
    for (let i = 0; i < 60; i++) await announceRun();
    const other = { url: `${receiver.origin}/other`, events: ["run.succeeded"] };
    await team.call("webhooks/create", other, team.inProject(team.owner));
    await announceRun("run.succeeded");
    const received = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const send: typeof outbound.send = async (request) => {
      if (request.target !== "/other") await released.promise;
      else received.resolve();
      return outbound.send(request);
    };
    const log = createLog("info", { write: () => {} });
    const { store, now } = team;
    const queue = createDispatcher({
      store,
      keys,
      inviteCodes,
      outbound: { ...outbound, send },
      log,
      now,
      random: Math.random,
    });
    const sending = queue.sendDue();
    await received.promise;
    released.resolve();
    expect([await sending, await sendDue()]).toEqual([61, 0]);
  });

  test("for a webhook that was deleted at the same moment is not sent, and is deleted", async () => {
    const { team, receiver, announceRun, sendDue, webhookId } = await startDeliveries(kind);
    await announceRun();
    await team.store.transaction((db) => db.query("delete from webhooks where id = $1", [webhookId]));
    expect([await sendDue(), receiver.received]).toEqual([0, []]);
    expect(await team.store.query("select id from deliveries")).toEqual([]);
  });

  test("never goes to an address in a private network that the operator did not allow", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, webhookId } = await startDeliveries(kind);
    const elsewhere = await startReceiver();
    await team.store.transaction((db) =>
      db.query("update webhooks set url = $2 where id = $1", [webhookId, elsewhere.url]),
    );
    await announceRun();
    expect(await sendDue()).toBe(0);
    expect([receiver.received, elsewhere.received]).toEqual([[], []]);
    expect(await deliveries()).toMatchObject([
      { status: "pending", response_status: null, problem: expect.any(String) },
    ]);
  });
});
