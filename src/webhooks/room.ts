import { createEventQueue, type EventQueue } from "../agents/events/event-queue.ts";
import { type AgentEvent, type EventPorts, forgetOldEvents } from "../agents/events/events.ts";
import { type EventCall, receiveEvent } from "../agents/events/receive-event.ts";
import type { Models } from "../agents/models/model.ts";
import { createRunStarter, type RunStarter } from "../agents/run-starter.ts";
import type { Log } from "../kernel/log.ts";
import type { Region } from "../kernel/regions.ts";
import type { Store } from "../store/db.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { PrivateHost } from "../transport/private-hosts.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { forgetOldDeliveries } from "./deliveries.ts";
import { createDeliveryQueue, type DeliveryQueue } from "./dispatcher.ts";

/** What operations need of this room: it owns the queue, and knows the keys and the addresses of the region. */
export interface WebhookRoom {
  keys: DataKeys;
  outbound: Outbound;
  /** Origins in private networks that the operator allows. */
  privateOrigins: readonly PrivateHost[];
  /** Where agents' addresses begin. */
  baseUrl: string;
  deliveries: DeliveryQueue;
  tools: RunStarter;
  /** Which models there are to ask. */
  models: Pick<Models, "find">;
  /** What waits for agents that were paused. */
  queued: EventQueue;
  /** For planning what an event starts. */
  events: EventPorts;
  /** Takes an event at an agent's address; resolves once it is durable. */
  receive(call: EventCall): Promise<AgentEvent>;
  /** Looks by itself from now on: for what another node announced, or was to be tried again. */
  start(): void;
  stop(): Promise<void>;
}

export interface WebhookRoomParts {
  store: Store;
  region: Region;
  keys: DataKeys;
  outbound: Outbound;
  /** Where the params of runs are made from events. */
  compute: Compute;
  privateOrigins: readonly PrivateHost[];
  baseUrl: string;
  models: Pick<Models, "find">;
  /** Runs were queued: the worker is to look. */
  wakeRuns(): void;
  log: Log;
  now: () => Date;
  random?: () => number;
}

const lookEverySeconds = 5;
const tidyEverySeconds = 3600;

export function createWebhookRoom(parts: WebhookRoomParts): WebhookRoom {
  const { store, region, keys, outbound, compute, log, now } = parts;
  const tools = createRunStarter(parts.wakeRuns, parts.models);
  const events: EventPorts = { store, region, tools, compute, now };
  const queued = createEventQueue({ ...events, log });
  const deliveries = createDeliveryQueue({ store, keys, outbound, log, now, random: parts.random ?? Math.random });
  const timers: NodeJS.Timeout[] = [];
  const every = (seconds: number, work: () => void) => timers.push(setInterval(work, seconds * 1000).unref());
  /** Forgets what was kept long enough. */
  const tidy = () =>
    void store
      .transaction(async (db) => {
        await forgetOldDeliveries(db, now());
        await forgetOldEvents(db, now());
      })
      .catch((error) => log.warn({ err: error }, "old events could not be forgotten"));
  return {
    keys,
    outbound,
    privateOrigins: parts.privateOrigins,
    baseUrl: parts.baseUrl,
    deliveries,
    tools,
    models: parts.models,
    queued,
    events,
    receive: (call) => receiveEvent(call, { ...events, keys }),
    start() {
      every(lookEverySeconds, deliveries.wake);
      every(lookEverySeconds, queued.wake);
      every(tidyEverySeconds, tidy);
      // What an earlier process has left does not wait for the first turn.
      deliveries.wake();
      queued.wake();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([deliveries.stop(), queued.stop()]);
    },
  };
}
