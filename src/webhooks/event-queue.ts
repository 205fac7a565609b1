import type { Log } from "../kernel/log.ts";
import { findAgentById } from "./agents.ts";
import { type AgentEvent, type EventPorts, startableEvents, startQueued } from "./events.ts";
import { readEvent } from "./read-event.ts";

export interface EventQueue {
  /** An agent was resumed: look soon. */
  wake(): void;
  /** Starts what waits for agents that are paused no longer, oldest first. Answers how many. */
  startDue(): Promise<number>;
  stop(): Promise<void>;
}

/** Begun together, they share their commits; the oldest go first. */
const batchEvents = 20;

/** Several nodes may do this at once: each event is started by one of them. */
export function createEventQueue(ports: EventPorts & { log: Log }): EventQueue {
  const { store, log, tools } = ports;
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function startOne(event: AgentEvent): Promise<boolean> {
    const agent = await findAgentById(store, event.agentId);
    const read = readEvent(event.body);
    return agent !== null && read !== null && startQueued(agent, event, read, ports);
  }

  async function startDue(): Promise<number> {
    let count = 0;
    while (!stopped) {
      const taken = await Promise.all((await startableEvents(store, batchEvents)).map(startOne));
      const started = taken.filter(Boolean).length;
      if (started > 0) tools.wake();
      count += started;
      // Where none could be taken, another node is at it, or the agent was paused again.
      if (started === 0) break;
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
