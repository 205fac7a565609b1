import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../kernel/log.ts";
import { mark } from "../kernel/loop-watch.ts";
import type { RegionMeter } from "../kernel/meter.ts";
import { startSpan, withinSpan } from "../kernel/tracing.ts";
import type { Db, Store } from "../store/db.ts";
import { announce } from "./announce.ts";
import { type Delivery, hasArrivedSince, settleDelivery } from "./deliveries.ts";
import { createDeliveryJobs, deleteDeliveriesOf, failPending } from "./delivery-jobs.ts";
import { createDeliveryTurns } from "./delivery-turns.ts";
import { createDispatcherCapacity, type Owner, type Slots } from "./dispatcher-capacity.ts";
import { claimDeliveries } from "./due-deliveries.store.ts";
import { attemptsMax, retryAt } from "./retry-times.ts";
import { type AttemptResult, type SendPorts, sendDelivery, workOf } from "./send-delivery.ts";
import { disableWebhook, findWebhookById, type OutgoingWebhook } from "./webhooks.ts";

export interface Dispatcher {
  /** A delivery was queued: send soon. */
  wake(): void;
  /** Sends everything that is due now, and returns how many deliveries arrived. */
  sendDue(): Promise<number>;
  stop(): Promise<void>;
}

export interface DeliveryPorts extends Omit<SendPorts, "db"> {
  store: Store;
  log: Log;
  random: () => number;
  meter?: RegionMeter | undefined;
}

/** "Disabled ones are told nothing", no matter who disabled them, or when the event was announced. */
const notSent = { status: "failed" as const, sendAt: null, problem: "The webhook is disabled, so this was not sent." };

type DeliveryResult = Parameters<RegionMeter["delivery"]>[0];

/** The mark before a claim says whose deliveries they are. */
const dispatching = { operation: "webhook delivery" };

const gatherMilliseconds = 20;
// If a dispatcher dies, its claims expire after this time, and another dispatcher takes over.
export const claimSeconds = 120;

/** Sends deliveries, in no promised order. A slow or unreachable receiver delays no other, and no organization another. */
export function createDispatcher(ports: DeliveryPorts): Dispatcher {
  const { store, log, now } = ports;
  const capacity = createDispatcherCapacity();
  const turns = createDeliveryTurns(store);
  const jobs = createDeliveryJobs({ store, log, now, onQueued: () => wake() });
  /** The attempts under way, with their webhooks. They go on if a later claim fails, and keep their slots. */
  const underWay = new Map<Promise<void>, Owner>();
  let running: Promise<void> | null = null;
  let again = false;
  let scheduled = false;
  let stopped = false;
  let nudge = Promise.withResolvers<void>();

  /** Returns null if other dispatchers were faster. */
  async function claim(slots: Slots): Promise<Delivery[] | null> {
    if (stopped || slots.free <= 0) return [];
    const at = now();
    const ids = await turns.find(at.toISOString(), slots);
    if (ids.length === 0) return [];
    const until = new Date(at.getTime() + claimSeconds * 1000).toISOString();
    const claimed = await store.transaction((db) => claimDeliveries(db, at.toISOString(), until, ids, slots.free));
    return claimed.length === 0 ? null : claimed;
  }

  async function sendDue(): Promise<number> {
    let arrived = 0;
    for (;;) {
      const before = underWay.size;
      // What is queued from now on may not be found by this claim.
      const nudged = nudge.promise;
      mark("claiming deliveries", dispatching);
      const claimed = await claim(capacity.slots([...underWay.values()]));
      mark("claiming deliveries", dispatching);
      for (const delivery of claimed ?? []) {
        const work = attempt(delivery)
          .then((delivered) => {
            if (delivered) arrived++;
          })
          .finally(() => underWay.delete(work));
        underWay.set(work, delivery);
      }
      if (claimed === null) {
        await pause(gatherMilliseconds);
      } else if (claimed.length === 0) {
        if (underWay.size > 0) await Promise.race([...underWay.keys(), nudged]);
        // Otherwise those that were under way have ended since, and left slots for more.
        else if (before === 0) return arrived;
      }
    }
  }

  async function attempt(delivery: Delivery): Promise<boolean> {
    try {
      const webhook = await findWebhookById(store, delivery.webhookId);
      if (!webhook) {
        await store.transaction((db) => deleteDeliveriesOf(db, delivery));
        return false;
      }
      mark("a delivery", workOf(webhook));
      if (webhook.status === "disabled") {
        await store.transaction((db) => settleDelivery(db, { ...delivery, ...notSent }));
        return false;
      }
      const tried = await sendTraced(webhook, delivery);
      mark("a delivery", workOf(webhook));
      capacity.note(webhook.id, tried.responseStatus !== null);
      const result = await store.transaction((db) => settle(db, webhook, delivery, tried));
      ports.meter?.delivery(result);
      return tried.delivered;
    } catch (error) {
      // The delivery stays claimed, and is retried when the claim expires.
      log.error({ delivery_id: delivery.id, err: error }, "a delivery could not be attempted");
      return false;
    }
  }

  /** Part of the trace in which the event was announced. */
  async function sendTraced(webhook: OutgoingWebhook, delivery: Delivery): Promise<AttemptResult> {
    const span = startSpan(
      "webhook delivery",
      "producer",
      delivery.trace === null ? null : { traceparent: delivery.trace },
    );
    span?.set({
      "signalbox.webhook_id": webhook.id,
      "signalbox.event_id": delivery.eventId,
      "signalbox.event_type": delivery.type,
      "signalbox.attempt": delivery.attempts + 1,
    });
    const tried = await withinSpan(span, () => sendDelivery(webhook, delivery, { ...ports, db: store }));
    span?.end(tried.delivered ? undefined : String(tried.responseStatus ?? "no_answer"));
    return tried;
  }

  async function settle(
    db: Db,
    webhook: OutgoingWebhook,
    delivery: Delivery,
    tried: AttemptResult,
  ): Promise<DeliveryResult> {
    mark("the end of a delivery", workOf(webhook));
    const at = now();
    const { delivered, gone, responseStatus, problem } = tried;
    // Only an attempt that was made counts, not one whose dispatcher died before it.
    const attempts = delivery.attempts + 1;
    const next = delivered || gone ? null : retryAt(attempts, at, ports.random(), tried.retryAfterSeconds);
    const isWritten = await settleDelivery(db, {
      ...delivery,
      attempts,
      status: delivered ? "delivered" : next ? "pending" : "failed",
      sendAt: next?.toISOString() ?? null,
      responseStatus,
      problem,
      deliveredAt: delivered ? at.toISOString() : null,
    });
    if (delivered) return "delivered";
    if (next) return "retried";
    if (!isWritten) return "given_up";
    // One refused event among accepted ones says nothing about the address.
    if (gone || !(await hasArrivedSince(db, webhook.id, delivery.createdAt))) await disable(db, webhook, gone, at);
    return "given_up";
  }

  /** "410 disables"; so does an address that accepted nothing for three days. */
  async function disable(db: Db, webhook: OutgoingWebhook, gone: boolean, at: Date): Promise<void> {
    const reason = gone
      ? "The address returned 410: it accepts no more events."
      : `An event could not be delivered in ${attemptsMax} tries over three days.`;
    if (!(await disableWebhook(db, webhook.id, reason, at.toISOString()))) return;
    const { organizationId, projectId, id } = webhook;
    const problem = "The webhook was disabled before this could be delivered.";
    await failPending(db, { organizationId, webhookId: id }, problem);
    log.warn({ webhook_id: id, gone }, "webhook disabled");
    const data = { webhook_id: id, reason };
    await announce(db, { organizationId, projectId, type: "webhook.disabled", data, now: at });
  }

  // Events that are announced together are sent together: the queue is read once for all of them.
  function wake(): void {
    if (scheduled || stopped) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      nudge.resolve();
      nudge = Promise.withResolvers();
      again = true;
      jobs.wake();
      running ??= sendWhileWoken();
    }, gatherMilliseconds).unref();
  }

  async function sendWhileWoken(): Promise<void> {
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
      await jobs.stop();
      await running;
      // Attempts whose `sendDue` failed still write their results. Each ends with its time-out at the latest.
      await Promise.all(underWay.keys());
    },
  };
}
