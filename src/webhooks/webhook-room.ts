import type { InviteCodes } from "../access/invite-code-port.ts";
import { createEventQueue, type EventQueue } from "../agents/events/event-queue.ts";
import { type EventCall, receiveEvent } from "../agents/events/receive-event.ts";
import { createRefusals, type Refusals } from "../agents/events/refused-events.ts";
import { type AgentEvent, type EventPorts, forgetOldRefusals } from "../agents/events/store-event.ts";
import type { Models } from "../agents/models/model.ts";
import { createRunStarter, type RunStarter } from "../agents/run-starter.ts";
import type { Log } from "../kernel/log.ts";
import type { RegionMeter } from "../kernel/meter.ts";
import type { Region } from "../kernel/regions.ts";
import type { Store } from "../store/db.ts";
import type { SystemId } from "../systems/index.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { PrivateHost } from "../transport/private-hosts.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import type { Vault } from "../vault/vault.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { createLive, type Live } from "./live/live-stream.ts";

/** What operations need of this room: the dispatcher, and the keys and addresses of the region. */
export interface WebhookRoom {
  keys: DataKeys;
  inviteCodes: Pick<InviteCodes, "shown">;
  outbound: Outbound;
  /** Origins in private networks that the operator allows. */
  privateOrigins: readonly PrivateHost[];
  /** The base URL of agents' addresses. */
  baseUrl: string;
  deliveries: Dispatcher;
  /** Streams of what changes in a project. */
  live: Live;
  tools: RunStarter;
  models: Pick<Models, "find">;
  /** Starts the queued events of resumed agents. */
  queued: EventQueue;
  /** For planning what an event starts. */
  events: EventPorts;
  /** Requests that were refused because of their signature. */
  refusals: Pick<Refusals, "of" | "recent" | "flush">;
  /** Accepts an event at an agent's address; resolves once it is durable. */
  receive(call: EventCall): Promise<AgentEvent>;
  /** Begins to poll: for deliveries of other nodes, and for retries. */
  start(): void;
  stop(): Promise<void>;
}

export interface WebhookRoomParts {
  store: Store;
  region: Region;
  keys: DataKeys;
  inviteCodes: Pick<InviteCodes, "shown">;
  outbound: Outbound;
  /** Computes the params of runs from events. */
  compute: Compute;
  privateOrigins: readonly PrivateHost[];
  baseUrl: string;
  models: Pick<Models, "find">;
  /** Checks the accounts of an installation that was reported as removed. */
  vault: Pick<Vault, "checkShared">;
  /** Runs were queued: wakes the worker. */
  wakeRuns(): void;
  log: Log;
  now: () => Date;
  random?: () => number;
  meter?: RegionMeter;
}

const pollSeconds = 5;
const deleteEverySeconds = 3600;

export function createWebhookRoom(parts: WebhookRoomParts): WebhookRoom {
  const { store, region, keys, inviteCodes, outbound, compute, log, now } = parts;
  const tools = createRunStarter(parts.wakeRuns, parts.models);
  const events: EventPorts = { store, region, tools, compute, now };
  const queued = createEventQueue({ ...events, log });
  const { meter, random = Math.random } = parts;
  const deliveries = createDispatcher({ store, keys, inviteCodes, outbound, log, now, random, meter });
  const refusals = createRefusals(store, now);
  const timers: NodeJS.Timeout[] = [];
  const every = (seconds: number, work: () => void) => timers.push(setInterval(work, seconds * 1000).unref());
  const deleteExpired = () =>
    void store
      .transaction((db) => forgetOldRefusals(db, now()))
      .catch((error) => log.warn({ err: error }, "old refusals of events could not be deleted"));
  /** After the response: "answer within 30 s and work afterwards". */
  const onGrantEnded = (organizationId: string, system: SystemId, sharedGrant: string) =>
    void parts.vault
      .checkShared(organizationId, system, sharedGrant)
      .catch((error) => log.warn({ err: error }, "the accounts of an ended grant could not be checked"));
  return {
    keys,
    inviteCodes,
    outbound,
    privateOrigins: parts.privateOrigins,
    baseUrl: parts.baseUrl,
    deliveries,
    live: createLive({ store, log }),
    tools,
    models: parts.models,
    queued,
    events,
    refusals,
    async receive(call) {
      let result: "accepted" | "refused" = "refused";
      try {
        const event = await receiveEvent(call, { ...events, keys, refusals, onGrantEnded });
        result = "accepted";
        return event;
      } finally {
        meter?.event(result);
      }
    },
    start() {
      every(pollSeconds, deliveries.wake);
      every(pollSeconds, queued.wake);
      every(deleteEverySeconds, deleteExpired);
      // Deliveries and events of an earlier process do not wait for the first interval.
      deliveries.wake();
      queued.wake();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([deliveries.stop(), queued.stop()]);
    },
  };
}
