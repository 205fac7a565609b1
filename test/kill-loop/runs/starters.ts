import type { FirstRunRegion } from "../../../src/start/first-run.ts";
import { AnswerLost, createCaller, type HttpAnswer, type HttpCaller } from "../../support/http-caller.ts";
import { seededRandom } from "../random.ts";

/** One run that somebody wants, from the moment it is asked for. */
export interface WantedRun {
  /** Unlike every other one's: stands in the deployment that the run creates. */
  mark: string;
  /** How often it was asked for, until an answer came. */
  asked: number;
  /** Known once a server has acknowledged it. */
  runId: string | null;
}

const starterCount = 8;
const pauseMillisecondsMax = 60;
/** So many runs of one client are open at most: kills go on for an hour, and a heap of work would hide what is lost. */
const openMax = 12;
const openStates = ["queued", "running", "waiting"];

/**
 * Clients that go on starting runs, each at any node that answers, and ask again until they are answered. Each follows
 * what it has started, and holds back while too much of it is open.
 */
export class Starters {
  readonly wanted: WantedRun[] = [];
  readonly problems: string[] = [];
  readonly #first: FirstRunRegion;
  readonly #toolId: string;
  readonly #ports: () => number[];
  readonly #callers = new Map<number, HttpCaller>();
  readonly #randoms: (() => number)[];
  readonly #working: Promise<void>[] = [];
  #isOver = false;

  constructor(first: FirstRunRegion, toolId: string, ports: () => number[], seed: number) {
    this.#first = first;
    this.#toolId = toolId;
    this.#ports = ports;
    this.#randoms = Array.from({ length: starterCount }, (_, index) => seededRandom(seed * 1000 + index));
  }

  begin(): void {
    for (const random of this.#randoms) this.#working.push(this.#work(random));
  }

  /** Nothing more is asked for; resolves when all that was is acknowledged. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
    for (const caller of this.#callers.values()) caller.close();
  }

  async #work(random: () => number): Promise<void> {
    const followed: string[] = [];
    while (!this.#isOver) {
      await this.#untilFewAreOpen(followed, random);
      if (this.#isOver) return;
      const run: WantedRun = { mark: `mark-${this.wanted.length}`, asked: 0, runId: null };
      this.wanted.push(run);
      while (run.runId === null && this.problems.length === 0) await this.#ask(run, random);
      if (run.runId === null || this.problems.length > 0) return;
      followed.push(run.runId);
      await after(random() * pauseMillisecondsMax);
    }
  }

  async #untilFewAreOpen(followed: string[], random: () => number): Promise<void> {
    while (followed.length >= openMax && !this.#isOver && this.problems.length === 0) {
      const answer = await this.#send(`runs/${followed[0]}/get`, {}, {}, random);
      if (answer?.status === 200 && !openStates.includes(answer.body.status)) followed.shift();
      else if (answer === null || answer.status === 200) await after(50);
      else this.problems.push(`The look at ${followed[0]} was answered ${answer.status} ${answer.text}`);
    }
  }

  /** "One Idempotency-Key, one effect": whichever node gets the repeat, and whatever became of the first. */
  async #ask(run: WantedRun, random: () => number): Promise<void> {
    run.asked++;
    const { mark } = run;
    const operation = `tools/${this.#toolId}/trigger_async`;
    const answer = await this.#send(operation, { params: { mark } }, { "idempotency-key": mark }, random);
    if (answer === null) await after(20);
    else if (answer.status === 200) run.runId = answer.body.run_id;
    // Whoever took the first call is dead or stands still: its key is free again once its lease is over.
    else if (answer.body.code === "idempotency_in_progress") await after(200);
    else this.problems.push(`The start of ${mark} was answered ${answer.status} ${answer.text}`);
  }

  /** By any node that answers now; null where the answer is lost. */
  async #send(
    operation: string,
    body: object,
    headers: Record<string, string>,
    random: () => number,
  ): Promise<HttpAnswer | null> {
    const ports = this.#ports();
    const port = ports[Math.floor(random() * ports.length)];
    if (port === undefined) return null;
    const authorization = `Bearer ${this.#first.project_id}:${this.#first.api_key}`;
    try {
      return await this.#callerOf(port).call(operation, body, { ...headers, authorization });
    } catch (error) {
      if (error instanceof AnswerLost) return null;
      throw error;
    }
  }

  #callerOf(port: number): HttpCaller {
    const caller = this.#callers.get(port) ?? createCaller(port, starterCount);
    this.#callers.set(port, caller);
    return caller;
  }
}

const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
