import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { startDeliveries } from "../../test/support/webhooks/delivery-world.ts";
import { createLog } from "../kernel/log.ts";
import type { Store } from "../store/db.ts";
import { createDispatcher } from "./dispatcher.ts";

/** The claim with this number fails, as if the database could not be reached. */
function failClaim(store: Store, number: number): Store {
  let claims = 0;
  const query: Store["query"] = (sql, values) => {
    if (sql.startsWith("select d.id, d.webhook_id") && ++claims === number) return Promise.reject(new Error("away"));
    return store.query(sql, values);
  };
  return { ...store, query };
}

/** A dispatcher whose claim fails once, and a receiver that responds after `release`; `/other` responds at once. */
async function startSlowReceiver(kind: StoreKind, failingClaim: number) {
  const world = await startDeliveries(kind);
  const { outbound, keys, inviteCodes } = world.team.context.rooms.webhooks;
  const released = Promise.withResolvers<void>();
  const otherReceived = Promise.withResolvers<void>();
  const requests = { open: 0, openMax: 0 };
  const send: typeof outbound.send = async (request) => {
    if (request.target === "/other") {
      otherReceived.resolve();
      return outbound.send(request);
    }
    requests.open++;
    requests.openMax = Math.max(requests.openMax, requests.open);
    await released.promise;
    return outbound.send(request).finally(() => requests.open--);
  };
  const queue = createDispatcher({
    store: failClaim(world.team.store, failingClaim),
    keys,
    inviteCodes,
    outbound: { ...outbound, send },
    log: createLog("info", { write: () => {} }),
    now: world.team.now,
    random: Math.random,
  });
  return { ...world, queue, requests, otherReceived: otherReceived.promise, release: released.resolve };
}

describeOnBothStores("a dispatcher whose database was away for a moment", (kind) => {
  test("still sends at most ten at a time to one address", async () => {
    const { team, receiver, announceRun, queue, requests, ...world } = await startSlowReceiver(kind, 3);
    const other = { url: `${receiver.origin}/other`, events: ["run.succeeded"] };
    await team.call("webhooks/create", other, team.inProject(team.owner));
    for (let i = 0; i < 30; i++) await announceRun();
    // Two claims of five fill the address; the third fails.
    await expect(queue.sendDue()).rejects.toThrow("away");
    await announceRun("run.succeeded");
    const sending = queue.sendDue();
    await world.otherReceived;
    world.release();
    // The first ten belong to the call that failed.
    expect(await sending).toBe(21);
    expect(receiver.received).toHaveLength(31);
    expect(requests).toEqual({ open: 0, openMax: 10 });
  });

  test("waits for the attempts under way when it stops, so that they are not sent again", async () => {
    const { announceRun, deliveries, queue, requests, release } = await startSlowReceiver(kind, 2);
    await announceRun();
    await expect(queue.sendDue()).rejects.toThrow("away");
    const stopped = queue.stop();
    release();
    await stopped;
    expect(requests).toEqual({ open: 0, openMax: 1 });
    expect(await deliveries()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });
});
