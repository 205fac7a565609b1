import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import { AnswerLost, createCaller, type HttpAnswer, type HttpCaller } from "../../support/processes/http-caller.ts";

/** Longer than a call takes, and shorter than a node stands still. */
const patienceMilliseconds = 4_000;
const connectionsMax = 16;
/** As a load balancer does: a node that has not answered is called again after a while, if there are others. */
const avoidedMilliseconds = 3_000;

/** A client of the whole: each call goes to any node that answers now. */
export class AnyNode {
  readonly #first: FirstRunRegion;
  readonly #ports: () => number[];
  readonly #callers = new Map<number, HttpCaller>();
  /** Until when a port is avoided, by the clock of `performance`. */
  readonly #avoided = new Map<number, number>();

  constructor(first: FirstRunRegion, ports: () => number[]) {
    this.#first = first;
    this.#ports = ports;
  }

  /** Null where the answer is lost, or takes too long: the caller does not know what became of it. `ports` are those to choose from. */
  async send(
    operation: string,
    body: object,
    random: () => number,
    headers: Record<string, string> = {},
    ports: readonly number[] = this.#answering(),
  ): Promise<HttpAnswer | null> {
    const port = ports[Math.floor(random() * ports.length)];
    if (port === undefined) return null;
    const authorization = `Bearer ${this.#first.project_id}:${this.#first.api_key}`;
    const answer = this.#callerOf(port).call(operation, body, { ...headers, authorization });
    const told = await Promise.race([
      answer.catch(lostIsNull),
      after(patienceMilliseconds).then(() => "late" as const),
    ]);
    if (told === "late") {
      this.#avoided.set(port, performance.now() + avoidedMilliseconds);
      return null;
    }
    // A node that wakes up takes its own pause for the database's, and refuses for a moment: "Try again". It logs each of
    // these; `Nodes` complains of those that no pause explains.
    return told?.status === 503 && told.body.code === "unavailable" ? null : told;
  }

  /** Nobody calls any more. */
  close(): void {
    for (const caller of this.#callers.values()) caller.close();
    this.#callers.clear();
  }

  #answering(): number[] {
    const all = this.#ports();
    const answering = all.filter((port) => (this.#avoided.get(port) ?? 0) < performance.now());
    return answering.length > 0 ? answering : all;
  }

  #callerOf(port: number): HttpCaller {
    const known = this.#callers.get(port);
    if (known) return known;
    // A node restarts at another port; connections to the one before are of no use.
    const live = new Set(this.#ports());
    for (const [old, caller] of this.#callers) {
      if (live.has(old)) continue;
      caller.close();
      this.#callers.delete(old);
    }
    const caller = createCaller(port, connectionsMax);
    this.#callers.set(port, caller);
    return caller;
  }
}

function lostIsNull(error: unknown): null {
  if (error instanceof AnswerLost) return null;
  throw error;
}

export const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
