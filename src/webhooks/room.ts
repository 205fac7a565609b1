import type { Log } from "../kernel/log.ts";
import type { Store } from "../store/db.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { DataKeys } from "../vault/data-keys.ts";
import { forgetOldDeliveries } from "./deliveries.ts";
import { createDeliveryQueue, type DeliveryQueue } from "./delivery-queue.ts";

/** What operations need of this room: it owns the queue, and knows the keys and the addresses of the region. */
export interface WebhookRoom {
  keys: DataKeys;
  outbound: Outbound;
  /** Origins in private networks that the operator allows. */
  privateOrigins: readonly string[];
  /** Where agents' addresses begin. */
  baseUrl: string;
  deliveries: DeliveryQueue;
  /** Looks by itself from now on: for what another node announced, or was to be tried again. */
  start(): void;
  stop(): Promise<void>;
}

export interface WebhookRoomParts {
  store: Store;
  keys: DataKeys;
  outbound: Outbound;
  privateOrigins: readonly string[];
  baseUrl: string;
  log: Log;
  now: () => Date;
  random?: () => number;
}

const lookEverySeconds = 5;
const tidyEverySeconds = 3600;

export function createWebhookRoom(parts: WebhookRoomParts): WebhookRoom {
  const { store, keys, outbound, log, now } = parts;
  const deliveries = createDeliveryQueue({ store, keys, outbound, log, now, random: parts.random ?? Math.random });
  const timers: NodeJS.Timeout[] = [];
  const every = (seconds: number, work: () => void) => timers.push(setInterval(work, seconds * 1000).unref());
  /** Forgets what was kept long enough. */
  const tidy = () =>
    void store
      .transaction((db) => forgetOldDeliveries(db, now()))
      .catch((error) => log.warn({ err: error }, "old deliveries could not be forgotten"));
  return {
    keys,
    outbound,
    privateOrigins: parts.privateOrigins,
    baseUrl: parts.baseUrl,
    deliveries,
    start() {
      every(lookEverySeconds, deliveries.wake);
      every(tidyEverySeconds, tidy);
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await deliveries.stop();
    },
  };
}
