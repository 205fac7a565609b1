import type { Log } from "../../kernel/log.ts";
import { mark } from "../../kernel/loop-watch.ts";
import { findAgentById } from "../agents.ts";
import {
  type AgentEvent,
  type EventPorts,
  organizationsToStart,
  startableEvents,
  startQueued,
  type Waited,
} from "./events.ts";
import { readEvent } from "./read-event.ts";

export interface EventQueue {
  /** An agent was resumed: look soon. */
  wake(): void;
  /** Starts what waits for agents that are paused no longer, oldest first. Answers how many. */
  startDue(): Promise<number>;
  stop(): Promise<void>;
}

/** Begun together, in one commit; the oldest go first. */
const batchEvents = 20;

/** Several nodes may do this at once: each event is started by one of them. */
export function createEventQueue(ports: EventPorts & { log: Log }): EventQueue {
  const { store, log, tools } = ports;
  /** The organizations whose events are being started. One whose expressions take long holds up no other. */
  const busy = new Map<string, Promise<number>>();
  let looking: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function readOne(event: AgentEvent): Promise<Waited[]> {
    const agent = await findAgentById(store, event.agentId);
    const { organizationId, projectId } = event;
    mark("an event that waited", { operation: "event", organizationId, projectId });
    const read = readEvent(event.body);
    return agent && read ? [{ agent, event, read }] : [];
  }

  /** Where one of them cannot be started, the others are all the same. */
  async function startBatch(waited: readonly Waited[]): Promise<number> {
    try {
      return await startQueued(waited, ports);
    } catch (error) {
      if (waited.length === 1) {
        log.error({ event_id: waited[0]?.event.id, err: error }, "an event that waits could not be started");
        return 0;
      }
    }
    let started = 0;
    for (const each of waited) started += await startBatch([each]);
    return started;
  }

  async function startFor(organizationId: string): Promise<number> {
    let count = 0;
    let after = "";
    while (!stopped) {
      const events = await startableEvents(store, organizationId, after, batchEvents);
      const last = events.at(-1);
      if (!last) break;
      // One that cannot be started holds up none behind it.
      after = last.id;
      const waited = (await Promise.all(events.map(readOne))).flat();
      const started = waited.length === 0 ? 0 : await startBatch(waited);
      if (started > 0) tools.wake();
      count += started;
    }
    return count;
  }

  /** Begins with every organization that has something to start, and waits for none of them. */
  async function begin(): Promise<Promise<number>[]> {
    const begun: Promise<number>[] = [];
    for (const organizationId of await organizationsToStart(store)) {
      if (stopped || busy.has(organizationId)) continue;
      const starting = startFor(organizationId).finally(() => busy.delete(organizationId));
      busy.set(organizationId, starting);
      begun.push(starting);
    }
    return begun;
  }

  const failed = (error: unknown) => log.error({ err: error }, "events that wait could not be started");

  async function startDue(): Promise<number> {
    const counts = await Promise.all(await begin());
    return counts.reduce((sum, count) => sum + count, 0);
  }

  return {
    startDue,
    wake() {
      if (stopped) return;
      looking = looking
        .then(begin)
        .then((begun) => {
          for (const starting of begun) starting.catch(failed);
        })
        .catch(failed);
    },
    async stop() {
      stopped = true;
      await looking;
      await Promise.allSettled(busy.values());
    },
  };
}
