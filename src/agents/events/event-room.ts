import type { Log } from "../../kernel/log.ts";
import type { RegionMeter } from "../../kernel/meter.ts";
import type { SystemId } from "../../systems/index.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import type { Vault } from "../../vault/vault.ts";
import type { Models } from "../models/model.ts";
import { createRunStarter } from "../run-starter.ts";
import { createEventQueue, type EventQueue } from "./event-queue.ts";
import { type EventCall, receiveEvent } from "./receive-event.ts";
import { createRefusals, type Refusals } from "./refused-events.ts";
import { type AgentEvent, type EventPorts, forgetOldRefusals, type StoreEventIn } from "./store-event.ts";

/** What operations need of incoming events, and to start runs of agents. */
export interface EventRoom extends EventPorts {
  keys: DataKeys;
  /** The base URL of agents' addresses. */
  baseUrl: string;
  models: Pick<Models, "find">;
  /** Starts the queued events of resumed agents. */
  queued: EventQueue;
  /** Requests that were refused because of their signature. */
  refusals: Pick<Refusals, "of" | "recent" | "flush">;
  /** Accepts an event at an agent's address; resolves once it is durable. */
  receive(call: EventCall, storeIn?: StoreEventIn): Promise<AgentEvent>;
  /** Begins to poll: for agents that other nodes resumed. */
  start(): void;
  stop(): Promise<void>;
}

export interface EventRoomParts extends Omit<EventPorts, "tools"> {
  keys: DataKeys;
  baseUrl: string;
  models: Pick<Models, "find">;
  /** Checks the accounts of an installation that was reported as removed. */
  vault: Pick<Vault, "checkShared">;
  /** Runs were queued: wakes the worker. */
  wakeRuns(): void;
  log: Log;
  meter?: RegionMeter;
}

const pollSeconds = 5;
const deleteEverySeconds = 3600;

export function createEventRoom({ vault, wakeRuns, log, meter, ...parts }: EventRoomParts): EventRoom {
  const { store, region, keys, models, compute, now } = parts;
  const ports: EventPorts = { store, region, tools: createRunStarter(wakeRuns, models), compute, now };
  const queued = createEventQueue({ ...ports, log });
  const refusals = createRefusals(store, now);
  const timers: NodeJS.Timeout[] = [];
  const every = (seconds: number, work: () => void) => timers.push(setInterval(work, seconds * 1000).unref());
  const deleteExpired = () =>
    void forgetOldRefusals(store, now()).catch((error) =>
      log.warn({ err: error }, "old refusals of events could not be deleted"),
    );
  /** After the response: "answer within 30 s and work afterwards". */
  const onGrantEnded = (organizationId: string, system: SystemId, sharedGrant: string) =>
    void vault
      .checkShared(organizationId, system, sharedGrant)
      .catch((error) => log.warn({ err: error }, "the accounts of an ended grant could not be checked"));
  return {
    ...ports,
    keys,
    baseUrl: parts.baseUrl,
    models,
    queued,
    refusals,
    async receive(call, storeIn) {
      let result: "accepted" | "refused" = "refused";
      try {
        const event = await receiveEvent(call, { ...ports, keys, refusals, onGrantEnded }, storeIn);
        result = "accepted";
        return event;
      } finally {
        meter?.event(result);
      }
    },
    start() {
      every(pollSeconds, queued.wake);
      every(deleteEverySeconds, deleteExpired);
      // Events of an earlier process do not wait for the first interval.
      queued.wake();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await queued.stop();
    },
  };
}
