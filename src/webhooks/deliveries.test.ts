import { expect, test } from "vitest";
import { isGenuine, type Receiver, startReceiver } from "../../test/support/receiver.ts";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { aTime, startTeam, type Team } from "../../test/support/team.ts";
import { createLog } from "../kernel/log.ts";
import { announce } from "./announce.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";

interface World {
  team: Team;
  receiver: Receiver;
  webhookId: string;
  secret: string;
  announceRun(type?: "run.failed" | "run.succeeded"): Promise<number>;
  sendDue(): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  deliveries(): Promise<any[]>;
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  record(): Promise<any>;
}

async function startWorld(kind: StoreKind): Promise<World> {
  const receiver = await startReceiver();
  const team = await startTeam(kind, { privateOrigins: [receiver.origin] });
  const { call, inProject, owner, store, projectId } = team;
  const { body } = await call("webhooks/create", { url: receiver.url, events: ["run.failed"] }, inProject(owner));
  return {
    team,
    receiver,
    webhookId: body.webhook_id,
    secret: body.webhook_secret,
    announceRun: (type = "run.failed") =>
      store.transaction((db) =>
        announce(db, {
          organizationId: owner.organizationId,
          projectId,
          type,
          data: { run_id: "run_us_1", status: "failed" },
          now: team.now(),
        }),
      ),
    sendDue: () => team.context.rooms.webhooks.deliveries.sendDue(),
    deliveries: async () => (await call(`webhooks/${body.webhook_id}/deliveries`, {}, inProject(owner))).body.results,
    record: async () => (await call(`webhooks/${body.webhook_id}/get`, {}, inProject(owner))).body,
  };
}

const hour = 3600;

describeOnBothStores("an event that was announced", (kind) => {
  test("arrives once, signed by Standard Webhooks, with what happened and whom it concerns", async () => {
    const { team, receiver, secret, announceRun, sendDue, deliveries, webhookId } = await startWorld(kind);
    expect(await announceRun()).toBe(1);
    expect(await sendDue()).toBe(1);
    expect(await sendDue()).toBe(0);
    expect(receiver.heard).toHaveLength(1);
    const [event] = receiver.heard;
    if (!event) throw new Error("Nothing was heard.");
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

  test("is told to nobody who did not ask for it, and is kept by no change that did not come about", async () => {
    const { team, announceRun, sendDue, receiver, deliveries } = await startWorld(kind);
    expect(await announceRun("run.succeeded")).toBe(0);
    const undone = team.store.transaction(async (db) => {
      const { organizationId } = team.owner;
      const data = {};
      await announce(db, { organizationId, projectId: team.projectId, type: "run.failed", data, now: team.now() });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect([await sendDue(), receiver.heard, await deliveries()]).toEqual([0, [], []]);
  });

  test("of another project or organization is not heard; an organization's webhook hears all of its own", async () => {
    const { team, receiver, sendDue } = await startWorld(kind);
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
    const ids = receiver.heard.map(({ id, body }) => [body.project_id, id] as const);
    expect(new Set(ids.filter(([project]) => project === team.projectId).map(([, id]) => id)).size).toBe(1);
  });

  test("that is not taken is tried again over three days under the same id, then the webhook is disabled and says why", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, record } = await startWorld(kind);
    receiver.answerWith(500);
    await announceRun();
    expect(await sendDue()).toBe(0);
    expect(await sendDue()).toBe(0);
    expect(receiver.heard).toHaveLength(1);
    expect(await deliveries()).toMatchObject([
      { status: "pending", attempts: 1, response_status: 500, problem: "The address answered 500." },
    ]);
    let hours = 0;
    for (; (await record()).status === "enabled" && hours < 120; hours++) {
      team.advance(hour);
      await sendDue();
    }
    expect(hours).toBeGreaterThan(55);
    expect(hours).toBeLessThan(100);
    expect(receiver.heard).toHaveLength(10);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(1);
    expect(await deliveries()).toMatchObject([{ status: "failed", attempts: 10, next_attempt_at: null }]);
    expect((await record()).status_reason).toContain("three days");
    expect(await announceRun()).toBe(0);
  });

  test("that alone is not taken, among others that are, fails alone: the webhook goes on", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, record } = await startWorld(kind);
    receiver.answerWith(500);
    await announceRun();
    await sendDue();
    receiver.answerWith(204);
    const refused = (await deliveries())[0].event_id;
    await announceRun();
    await sendDue();
    receiver.answerWith(500);
    for (let hours = 0; (await deliveries())[1].status === "pending" && hours < 240; hours += 12) {
      team.advance(12 * hour);
      await sendDue();
    }
    expect(receiver.heard.filter(({ id }) => id === refused)).toHaveLength(10);
    expect((await deliveries()).map(({ status }) => status)).toEqual(["delivered", "failed"]);
    expect((await record()).status).toBe("enabled");
  });

  test("that waits for a webhook which somebody turns off is not sent: disabled ones are told nothing", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, webhookId } = await startWorld(kind);
    receiver.answerWith(500);
    await announceRun();
    await sendDue();
    const change = (body: object) => team.call(`webhooks/${webhookId}/update`, body, team.inProject(team.owner));
    await change({ status: "disabled" });
    team.advance(hour);
    await sendDue();
    expect(receiver.heard).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ status: "failed", problem: expect.stringContaining("disabled") }]);
  });

  test("that meets 410 disables the webhook at once, with all that waits for it", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, record, webhookId } = await startWorld(kind);
    receiver.answerWith(503);
    await announceRun();
    await sendDue();
    receiver.answerWith(410);
    await announceRun();
    await sendDue();
    expect(await record()).toMatchObject({ status: "disabled", status_reason: expect.stringContaining("410") });
    expect((await deliveries()).map((each) => [each.status, each.next_attempt_at])).toEqual([
      ["failed", null],
      ["failed", null],
    ]);
    const replay = await team.call(`webhooks/${webhookId}/replay`, {}, team.inProject(team.owner));
    expect([replay.status, replay.body.code]).toEqual([409, "webhook_disabled"]);
  });

  test("that failed is sent again on demand once the webhook is enabled, one or all, and keeps its id", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, webhookId, record } = await startWorld(kind);
    const change = (what: string, body: object) =>
      team.call(`webhooks/${webhookId}/${what}`, body, team.inProject(team.owner));
    await announceRun();
    await announceRun();
    receiver.answerWith(410);
    await sendDue();
    receiver.answerWith(200);
    expect((await change("update", { status: "enabled" })).body).toMatchObject({
      status: "enabled",
      status_reason: null,
    });
    expect((await change("replay", {})).body).toEqual({ webhook_id: webhookId, queued: 2 });
    expect(await sendDue()).toBe(2);
    const [first] = await deliveries();
    expect((await change("replay", { delivery_id: first.delivery_id })).body.queued).toBe(1);
    expect(await sendDue()).toBe(1);
    expect(receiver.heard.at(-1)?.id).toBe(first.event_id);
    expect((await change("replay", { failed_since: team.now().toISOString() })).body.queued).toBe(0);
    expect((await change("replay", { delivery_id: "dlv_us_none" })).body.code).toBe("delivery_not_found");
    expect((await record()).status).toBe("enabled");
  });

  test("waits as long as the receiver asks for", async () => {
    const { team, receiver, announceRun, sendDue } = await startWorld(kind);
    receiver.answerWith(429, { "retry-after": "3600" });
    await announceRun();
    await sendDue();
    receiver.answerWith(200);
    team.advance(hour - 10);
    expect(await sendDue()).toBe(0);
    team.advance(20);
    expect(await sendDue()).toBe(1);
  });

  test("carries two signatures while its secret changes, and one afterwards", async () => {
    const { team, receiver, secret, announceRun, sendDue, webhookId } = await startWorld(kind);
    const rotated = await team.call(
      `webhooks/${webhookId}/rotate_secret`,
      { overlap_seconds: 60 },
      team.inProject(team.owner),
    );
    expect(rotated.body).toMatchObject({ webhook_secret: expect.stringMatching(/^whsec_/), old_expires_at: aTime });
    const next = rotated.body.webhook_secret;
    await announceRun();
    await sendDue();
    const [during] = receiver.heard;
    if (!during) throw new Error("Nothing was heard.");
    expect(during.signature.split(" ")).toHaveLength(2);
    expect([isGenuine(during, secret), isGenuine(during, next)]).toEqual([true, true]);
    team.advance(61);
    await announceRun();
    await sendDue();
    const [, after] = receiver.heard;
    if (!after) throw new Error("Nothing more was heard.");
    expect([isGenuine(after, secret), isGenuine(after, next)]).toEqual([false, true]);
  });

  test("is sent by one of several senders, and by another where one of them dies", async () => {
    const { team, receiver, announceRun, deliveries } = await startWorld(kind);
    const { outbound, keys } = team.context.rooms.webhooks;
    const log = createLog("info", { write: () => {} });
    const open = (send = outbound.send) =>
      createDeliveryQueue({
        store: team.store,
        keys,
        outbound: { ...outbound, send },
        log,
        now: team.now,
        random: Math.random,
      });
    for (let i = 0; i < 20; i++) await announceRun();
    const queues = [open(), open(), open()];
    const counts = await Promise.all(queues.map((queue) => queue.sendDue()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(20);
    expect(receiver.heard).toHaveLength(20);

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
    expect((await deliveries())[0]).toMatchObject({ status: "delivered", attempts: 2 });
  });

  test("waits for no other address that has much to hear and is slow to answer", async () => {
    const { team, receiver, announceRun, sendDue } = await startWorld(kind);
    const { outbound, keys } = team.context.rooms.webhooks;
    for (let i = 0; i < 60; i++) await announceRun();
    const other = { url: `${receiver.origin}/other`, events: ["run.succeeded"] };
    await team.call("webhooks/create", other, team.inProject(team.owner));
    await announceRun("run.succeeded");
    const heard = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const send: typeof outbound.send = async (request) => {
      if (request.target !== "/other") await released.promise;
      else heard.resolve();
      return outbound.send(request);
    };
    const log = createLog("info", { write: () => {} });
    const { store, now } = team;
    const queue = createDeliveryQueue({ store, keys, outbound: { ...outbound, send }, log, now, random: Math.random });
    const sending = queue.sendDue();
    await heard.promise;
    released.resolve();
    expect([await sending, await sendDue()]).toEqual([61, 0]);
  });

  test("for a webhook that was deleted at the same moment goes nowhere, and is forgotten", async () => {
    const { team, receiver, announceRun, sendDue, webhookId } = await startWorld(kind);
    await announceRun();
    await team.store.transaction((db) => db.query("delete from webhooks where id = $1", [webhookId]));
    expect([await sendDue(), receiver.heard]).toEqual([0, []]);
    expect(await team.store.query("select id from deliveries")).toEqual([]);
  });

  test("never goes to an address in a private network that the operator did not allow", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, webhookId } = await startWorld(kind);
    const elsewhere = await startReceiver();
    await team.store.transaction((db) =>
      db.query("update webhooks set url = $2 where id = $1", [webhookId, elsewhere.url]),
    );
    await announceRun();
    expect(await sendDue()).toBe(0);
    expect([receiver.heard, elsewhere.heard]).toEqual([[], []]);
    expect(await deliveries()).toMatchObject([
      { status: "pending", response_status: null, problem: expect.any(String) },
    ]);
  });
});
