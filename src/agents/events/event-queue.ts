import type { Log } from "../../kernel/log.ts";
import { mark } from "../../kernel/loop-watch.ts";
import { findAgentById } from "../agents.ts";
import { readEvent } from "./read-event.ts";
import {
  type AgentEvent,
  type EventPorts,
  listOrganizationsToStart,
  listStartable,
  type QueuedEvent,
  readBody,
  startQueued,
} from "./store-event.ts";

export interface EventQueue {
  /** An agent was resumed: start its queued events soon. */
  wake(): void;
  /** Starts the queued events of resumed agents, oldest first. Returns how many. */
  startDue(): Promise<number>;
  stop(): Promise<void>;
}

/** Started together, in one commit. */
const batchEvents = 20;

/** Several nodes may do this at once: each event is started by one of them. */
export function createEventQueue(ports: EventPorts & { log: Log }): EventQueue {
  const { store, log, tools } = ports;
  /** Organizations whose events are being started. One with slow expressions delays no other. */
  const busy = new Map<string, Promise<number>>();
  let lastPass: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function readOne(event: AgentEvent): Promise<QueuedEvent[]> {
    const agent = await findAgentById(store, event.agentId);
    const { organizationId, projectId } = event;
    mark("an event that waited", { operation: "event", organizationId, projectId });
    const read = await readEvent(await readBody(store, event));
    if (!read) throw new Error("The body of the event is no JSON object.");
    return agent ? [{ agent, event, read }] : [];
  }

  /** If one event cannot be read, the others still are. It stays queued. */
  async function readBatch(events: readonly AgentEvent[]): Promise<QueuedEvent[]> {
    const unreadable = (event: AgentEvent, error: unknown): QueuedEvent[] => {
      log.error({ event_id: event.id, err: error }, "a queued event could not be read");
      return [];
    };
    const read = events.map((event) => readOne(event).catch((error: unknown) => unreadable(event, error)));
    return (await Promise.all(read)).flat();
  }

  /** If one event cannot be started, the others still are. */
  async function startBatch(queued: readonly QueuedEvent[]): Promise<number> {
    try {
      return await startQueued(queued, ports);
    } catch (error) {
      if (queued.length === 1) {
        log.error({ event_id: queued[0]?.event.id, err: error }, "a queued event could not be started");
        return 0;
      }
    }
    let started = 0;
    for (const each of queued) started += await startBatch([each]);
    return started;
  }

  async function startFor(organizationId: string): Promise<number> {
    let count = 0;
    let after = "";
    while (!stopped) {
      const events = await listStartable(store, organizationId, after, batchEvents);
      const last = events.at(-1);
      if (!last) break;
      // An event that cannot be read or started blocks none after it.
      after = last.id;
      const queued = await readBatch(events);
      const started = queued.length === 0 ? 0 : await startBatch(queued);
      if (started > 0) tools.wake();
      count += started;
    }
    return count;
  }

  /** Starts the events of every organization that has some, without waiting for them. */
  async function begin(): Promise<Promise<number>[]> {
    const begun: Promise<number>[] = [];
    for (const organizationId of await listOrganizationsToStart(store)) {
      if (stopped || busy.has(organizationId)) continue;
      const starting = startFor(organizationId).finally(() => busy.delete(organizationId));
      busy.set(organizationId, starting);
      begun.push(starting);
    }
    return begun;
  }

  const failed = (error: unknown) => log.error({ err: error }, "queued events could not be started");

  async function startDue(): Promise<number> {
    const counts = await Promise.all(await begin());
    return counts.reduce((sum, count) => sum + count, 0);
  }

  return {
    startDue,
    wake() {
      if (stopped) return;
      lastPass = lastPass
        .then(begin)
        .then((begun) => {
          for (const starting of begun) starting.catch(failed);
        })
        .catch(failed);
    },
    async stop() {
      stopped = true;
      await lastPass;
      await Promise.allSettled(busy.values());
    },
  };
}
