import type { Log } from "../kernel/log.ts";
import { mark } from "../kernel/loop-watch.ts";
import type { Db, Store } from "../store/db.ts";
import { announce } from "./announce.ts";
import {
  claimDeliveries,
  type Delivery,
  deleteDeliveriesOf,
  failPending,
  hasArrivedSince,
  hasDueDelivery,
  settleDelivery,
} from "./deliveries.ts";
import { createPlaces } from "./dispatcher-capacity.ts";
import { attemptsMax, retryAt } from "./retry.ts";
import { type SendPorts, sendDelivery, type Tried, workOf } from "./send-delivery.ts";
import { disableWebhook, findWebhookAnywhere, type OutgoingWebhook } from "./webhooks.ts";

export interface DeliveryQueue {
  /** Something was queued: look soon. */
  wake(): void;
  /** Sends all that is due now, and answers how many arrived. */
  sendDue(): Promise<number>;
  stop(): Promise<void>;
}

export interface DeliveryPorts extends Omit<SendPorts, "db"> {
  store: Store;
  log: Log;
  random: () => number;
}

/** "Disabled ones are told nothing", whoever disabled them, and whenever the event was announced. */
const notSent = { status: "failed" as const, sendAt: null, problem: "The webhook is disabled, so this was not sent." };

/** Before it is known whose they are. */
const dispatching = { operation: "webhook delivery" };

const gatherMilliseconds = 20;
// A sender that dies keeps what it took hidden this long; then another takes it up.
const claimSeconds = 120;

/** Sends what was announced, in no promised order; a receiver that is slow or away holds up no other. */
export function createDeliveryQueue(ports: DeliveryPorts): DeliveryQueue {
  const { store, log, now } = ports;
  const places = createPlaces();
  let running: Promise<void> | null = null;
  let again = false;
  let scheduled = false;
  let stopped = false;
  let nudge = Promise.withResolvers<void>();

  async function claim(limit: number, busy: readonly string[]): Promise<Delivery[]> {
    if (stopped || limit <= 0 || !(await hasDueDelivery(store, now().toISOString()))) return [];
    const until = new Date(now().getTime() + claimSeconds * 1000).toISOString();
    return store.transaction((db) => claimDeliveries(db, now().toISOString(), until, limit, busy));
  }

  async function sendDue(): Promise<number> {
    const underWay = new Map<Promise<void>, string>();
    let arrived = 0;
    for (;;) {
      const { free, busy } = places.left([...underWay.values()]);
      mark("claiming deliveries", dispatching);
      const claimed = await claim(free, busy);
      mark("claiming deliveries", dispatching);
      for (const delivery of claimed) {
        const work = attempt(delivery)
          .then((delivered) => {
            if (delivered) arrived++;
          })
          .finally(() => underWay.delete(work));
        underWay.set(work, delivery.webhookId);
      }
      if (underWay.size === 0) {
        if (busy.length === 0) return arrived;
        // The busy ones have answered since, and more may be due to them.
        continue;
      }
      // Whoever takes their time to answer does not keep what was announced meanwhile waiting.
      if (claimed.length === 0) await Promise.race([...underWay.keys(), nudge.promise]);
    }
  }

  async function attempt(delivery: Delivery): Promise<boolean> {
    try {
      const webhook = await findWebhookAnywhere(store, delivery.webhookId);
      if (!webhook) {
        await store.transaction((db) => deleteDeliveriesOf(db, delivery.webhookId));
        return false;
      }
      mark("a delivery", workOf(webhook));
      if (webhook.status === "disabled") {
        await store.transaction((db) => settleDelivery(db, { ...delivery, ...notSent }));
        return false;
      }
      const tried = await sendDelivery(webhook, delivery, { ...ports, db: store });
      mark("a delivery", workOf(webhook));
      places.note(webhook.id, tried.responseStatus !== null);
      await store.transaction((db) => settle(db, webhook, delivery, tried));
      return tried.delivered;
    } catch (error) {
      // It stays claimed, and is tried again when the claim runs out.
      log.error({ delivery_id: delivery.id, err: error }, "a delivery could not be attempted");
      return false;
    }
  }

  async function settle(db: Db, webhook: OutgoingWebhook, delivery: Delivery, tried: Tried): Promise<void> {
    mark("the end of a delivery", workOf(webhook));
    const at = now();
    const { delivered, gone, responseStatus, problem } = tried;
    // A try that was made is counted; that somebody meant to make one and died is none.
    const attempts = delivery.attempts + 1;
    const next = delivered || gone ? null : retryAt(attempts, at, ports.random(), tried.askedSeconds);
    const mine = await settleDelivery(db, {
      ...delivery,
      attempts,
      status: delivered ? "delivered" : next ? "pending" : "failed",
      sendAt: next?.toISOString() ?? null,
      responseStatus,
      problem,
      deliveredAt: delivered ? at.toISOString() : null,
    });
    if (!mine || delivered || next) return;
    // One event that is refused among others that are taken says nothing about the address.
    if (gone || !(await hasArrivedSince(db, webhook.id, delivery.createdAt))) await disable(db, webhook, gone, at);
  }

  /** "410 disables"; so does an address that had three days and used none of them. */
  async function disable(db: Db, webhook: OutgoingWebhook, gone: boolean, at: Date): Promise<void> {
    const reason = gone
      ? "The address answered 410: it does not want to be told any longer."
      : `An event could not be delivered in ${attemptsMax} tries over three days.`;
    if (!(await disableWebhook(db, webhook.id, reason, at.toISOString()))) return;
    await failPending(db, webhook.id, "The webhook was disabled before this could be delivered.");
    log.warn({ webhook_id: webhook.id, gone }, "webhook disabled");
    const { organizationId, projectId, id } = webhook;
    const data = { webhook_id: id, reason };
    await announce(db, { organizationId, projectId, type: "webhook.disabled", data, now: at });
  }

  // What is announced together goes out together: the queue is read once for all of it.
  function wake(): void {
    if (scheduled || stopped) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      nudge.resolve();
      nudge = Promise.withResolvers();
      again = true;
      running ??= sendWhileAsked();
    }, gatherMilliseconds).unref();
  }

  async function sendWhileAsked(): Promise<void> {
    while (again && !stopped) {
      again = false;
      await sendDue().catch((error) => log.error({ err: error }, "deliveries could not be read"));
    }
    running = null;
  }

  return {
    wake,
    sendDue,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
