import type { Log } from "../kernel/log.ts";
import { findAgentById } from "./agents.ts";
import { type AgentEvent, type EventPorts, startableEvents, startQueued, type Waited } from "./events.ts";
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
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function readOne(event: AgentEvent): Promise<Waited[]> {
    const agent = await findAgentById(store, event.agentId);
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

  async function startDue(): Promise<number> {
    let count = 0;
    let after = "";
    while (!stopped) {
      const events = await startableEvents(store, after, batchEvents);
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

  return {
    startDue,
    wake() {
      if (stopped) return;
      running = running
        .then(startDue)
        .catch((error) => log.error({ err: error }, "events that wait could not be started"));
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
