import type { Round } from "../rounds/round-types.ts";
import type { States } from "../state/limit-row.ts";
import type { KeyedDemand } from "../state/row-keys.ts";
import { type AdmissionQueue, type AdmissionQueueOptions, createAdmissionQueue } from "./admission-queue.ts";
import type { Waiting } from "./shared-waiters.ts";

/** All admission queues of a process: one for each set of limits that calls need together. */
export interface AdmissionQueues {
  of(demands: readonly KeyedDemand[]): AdmissionQueue;
  /** Whether any call waits, or is about to be settled. */
  areBusy(): boolean;
  waiting(): { subject: string; waiting: Waiting }[];
  publish(): void;
  close(): void;
}

export interface AdmissionQueuesOptions
  extends Omit<AdmissionQueueOptions, "id" | "demands" | "round" | "newReservationId"> {
  /** The name of the process; ids of queues and reservations begin with it. */
  process: string;
  round(subjects: readonly string[], decide: (states: States, now: number) => Round): Promise<Round>;
}

/** Above this, idle queues are dropped. Queues with waiting calls are bounded by the waiting calls of an organization. */
const queuesMax = 2000;

export function createAdmissionQueues({ process, round, ...shared }: AdmissionQueuesOptions): AdmissionQueues {
  const queues = new Map<string, AdmissionQueue>();
  let queueCount = 0;
  let reservationCount = 0;
  const newReservationId = (): string => `${process}.${(++reservationCount).toString(36)}`;

  function add(key: string, demands: readonly KeyedDemand[]): AdmissionQueue {
    if (queues.size >= queuesMax) for (const [old, each] of queues) if (each.isIdle()) queues.delete(old);
    const subjects = [...new Set(demands.map(({ subject }) => subject))].sort();
    const queue = createAdmissionQueue({
      ...shared,
      id: `${process}.${(++queueCount).toString(36)}`,
      demands,
      newReservationId,
      round: (decide) => round(subjects, decide),
    });
    queues.set(key, queue);
    return queue;
  }

  return {
    of(demands) {
      const key = keyOf(demands);
      return queues.get(key) ?? add(key, demands);
    },
    areBusy: () => [...queues.values()].some((queue) => !queue.isIdle()),
    waiting: () => [...queues.values()].flatMap(waitingIn),
    publish() {
      for (const queue of queues.values()) queue.publish();
    },
    close() {
      for (const queue of queues.values()) queue.close();
    },
  };
}

const keyOf = (demands: readonly KeyedDemand[]): string =>
  demands
    .map(({ subject, name }) => `${subject}\n${name}`)
    .sort()
    .join("\n\n");

const waitingIn = (queue: AdmissionQueue): { subject: string; waiting: Waiting }[] =>
  queue.waiting().map(({ waiter: { caller, since }, limit }) => ({
    subject: limit.subject,
    waiting: {
      caller: caller.id,
      projectId: caller.projectId,
      connectionId: caller.connectionId,
      runId: caller.runId,
      since: new Date(since).toISOString(),
      name: limit.name,
    },
  }));
