import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import { AnyNode, after } from "../../kill-loop/runs/any-node.ts";
import { AnswerLost, createCaller, type HttpAnswer, type HttpCaller } from "../../support/processes/http-caller.ts";

/** As long as many clients and load balancers wait. */
const usualDeadlineSeconds = 30;
const connectionsMax = 24;
const pauseMilliseconds = 300;

/** A client of all nodes that holds them to their promise: an answer within its deadline, or 503 with `Retry-After`. */
export class ClientWithDeadline extends AnyNode {
  readonly problems: string[] = [];
  /** Calls that were refused for the time being. Whether they happened is not known; each is repeated with its key. */
  refused = 0;
  slowestSeconds = 0;
  readonly #authorization: string;
  readonly #callers: ReadonlyMap<number, HttpCaller>;
  readonly #deadlineSeconds: number;

  constructor(first: FirstRunRegion, ports: readonly number[], deadlineSeconds = usualDeadlineSeconds) {
    super(first, () => [...ports]);
    this.#deadlineSeconds = deadlineSeconds;
    this.#authorization = `Bearer ${first.project_id}:${first.api_key}`;
    this.#callers = new Map(ports.map((port) => [port, createCaller(port, connectionsMax)]));
  }

  override async send(
    operation: string,
    body: object,
    random: () => number,
    headers: Record<string, string> = {},
    ports: readonly number[] = [...this.#callers.keys()],
  ): Promise<HttpAnswer | null> {
    const port = ports[Math.floor(random() * ports.length)] ?? 0;
    const answer = await this.call(port, operation, body, headers);
    if (answer === null) await after(pauseMilliseconds);
    return answer;
  }

  /** At one node. Null: refused for the time being. */
  async call(
    port: number,
    operation: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer | null> {
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1000;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, this.#deadlineSeconds * 1000, "late");
    });
    const called = this.#callers.get(port)?.call(operation, body, { authorization: this.#authorization, ...headers });
    const answer = await Promise.race([called?.catch(lostIsLost) ?? "lost", late]);
    clearTimeout(timer);
    this.slowestSeconds = Math.max(this.slowestSeconds, seconds());
    if (answer === "late") this.problems.push(`${operation} was not answered within ${this.#deadlineSeconds} s.`);
    if (answer === "lost") this.problems.push(`A node broke off ${operation} after ${seconds().toFixed(1)} s.`);
    if (typeof answer === "string") return null;
    if (answer.status !== 503) return answer;
    this.refused++;
    if (!(Number(answer.headers["retry-after"]) > 0)) this.problems.push(`A 503 of ${operation} has no Retry-After.`);
    return null;
  }

  override close(): void {
    for (const caller of this.#callers.values()) caller.close();
  }
}

function lostIsLost(error: unknown): "lost" {
  if (error instanceof AnswerLost) return "lost";
  throw error;
}
