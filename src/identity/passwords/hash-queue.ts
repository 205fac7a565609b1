import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { createFairQueue, type FairQueue } from "../../untrusted/fair-queue.ts";

/**
 * For whom a password is hashed. A stranger is an address without credentials. A session, a known browser, a mailed
 * link or an invite identifies an organization. A tenant can have any number of accounts and still takes one turn at a
 * time.
 */
export type HashCaller = { region: Region; address: string } | { region: Region; organizationId: string } | "operator";

export interface HashQueueSizes {
  /** How many passwords are hashed at once. */
  atATime: number;
  /** How many may wait for one address, or for one organization. */
  waitingEach: number;
  /** How many may wait for all strangers, and as many again for all organizations. */
  waitingInAll: number;
}

export interface HashQueue {
  /** Throws `rate_limited` where this caller has too many waiting, `passwords_busy` where too many different callers wait. */
  run<T>(caller: HashCaller, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  start(): void;
  refuse(problem: Problem): void;
}

type Kind = "strangers" | "organizations";

/** On the slow side, for Retry-After. */
const hashSeconds = 0.05;

/**
 * "A stranger who posts many sign-ins must not delay other people's." Addresses take turns, and so do organizations.
 * Strangers and organizations alternate, so that strangers with many addresses do not delay a known browser. If the
 * queue is full, the caller with the most waiting requests loses its last one, so a few addresses cannot fill it.
 */
export function createHashQueue({ atATime, waitingEach, waitingInAll }: HashQueueSizes): HashQueue {
  const queues: Record<Kind, FairQueue<Waiting>> = { strangers: createFairQueue(), organizations: createFairQueue() };
  let running = 0;
  let turn: Kind = "organizations";

  async function run<T>(caller: HashCaller, work: () => Promise<T>): Promise<T> {
    if (running < atATime) running++;
    else await waitForTurn(caller);
    try {
      return await work();
    } finally {
      const next = takeFrom(turn) ?? takeFrom(otherThan(turn));
      // The next caller takes over this slot.
      if (next) next.start();
      else running--;
    }
  }

  function waitForTurn(caller: HashCaller): Promise<void> {
    const [kind, key] = kindAndKey(caller);
    const queue = queues[kind];
    if (queue.waitingOf(key) >= waitingEach) throw tooManyOfOne();
    if (queue.size() >= waitingInAll) makeRoom(queue, key);
    return new Promise((start, refuse) => queue.add(key, { start, refuse }));
  }

  function takeFrom(kind: Kind): Waiting | undefined {
    const key = queues[kind].next(() => true);
    if (key === null) return undefined;
    turn = otherThan(kind);
    return queues[kind].take(key);
  }

  function makeRoom(queue: FairQueue<Waiting>, key: string): void {
    const longest = queue.longest();
    if (longest === null || queue.waitingOf(longest) <= queue.waitingOf(key) + 1) throw tooManyInAll();
    queue.takeLast(longest)?.refuse(tooManyOfOne());
  }

  const tooManyOfOne = (): Problem =>
    new Problem("rate_limited", "Too many passwords from here wait to be checked.", { headers: retryAfter() });
  const tooManyInAll = (): Problem => new Problem("passwords_busy", undefined, { headers: retryAfter() });

  /** By then, all requests that wait now are done. */
  function retryAfter(): Record<string, string> {
    const waiting = queues.strangers.size() + queues.organizations.size();
    return { "retry-after": String(Math.max(1, Math.ceil((waiting * hashSeconds) / atATime))) };
  }

  return { run };
}

const otherThan = (kind: Kind): Kind => (kind === "strangers" ? "organizations" : "strangers");

function kindAndKey(caller: HashCaller): [kind: Kind, key: string] {
  if (caller === "operator") return ["organizations", "operator"];
  if ("address" in caller) return ["strangers", `${caller.region} ${caller.address}`];
  return ["organizations", `${caller.region} ${caller.organizationId}`];
}
