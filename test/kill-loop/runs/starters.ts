import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import { seededRandom } from "../random.ts";
import { type AnyNode, after } from "./any-node.ts";
import { drawWish, markOf, singleStep, type Wish } from "./wishes.ts";

/** One run that somebody wants, from the moment it is asked for. */
export interface WantedRun extends Wish {
  mark: string;
  /** How often it was asked for, until an answer came. */
  asked: number;
  /** Known once a server has acknowledged it. */
  runId: string | null;
  /** Its only call was not answered: there may be a run, with its record, or neither. */
  isUnanswered?: true;
}

const starterCount = 8;
/** Some more run single steps, or tools, and wait for each. */
const singleCount = 2;
const waitedCount = 2;
const waitSeconds = 2;
const pauseMillisecondsMax = 80;
/** So many runs of one client are open at most: kills go on for an hour, and a heap of work would hide what is lost. */
const openMax = 12;
export const openStates = ["queued", "running", "waiting"];

export interface StartersParts {
  first: FirstRunRegion;
  projectId: string;
  toolIdOf: (wish: Wish) => string;
  node: AnyNode;
  seed: number;
}

/**
 * Clients that go on starting runs, each at any node that answers, and ask again until they are answered. Each follows
 * what it has started, and holds back while too much of it is open.
 */
export class Starters {
  readonly wanted: WantedRun[] = [];
  readonly problems: string[] = [];
  acknowledged = 0;
  readonly #parts: StartersParts;
  readonly #working: Promise<void>[] = [];
  readonly #random: () => number;
  #isOver = false;

  constructor(parts: StartersParts) {
    this.#parts = parts;
    this.#random = seededRandom(parts.seed * 1000 + 900);
  }

  begin(): void {
    for (let index = 0; index < starterCount + singleCount + waitedCount; index++) {
      this.#working.push(this.#work(seededRandom(this.#parts.seed * 1000 + index), formOf(index)));
    }
  }

  /** Starts runs that each make a property, at the node of this port. Returns those that it has acknowledged; the others are asked for elsewhere. */
  async startPropertiesAt(port: number, count: number): Promise<WantedRun[]> {
    const runs = Array.from({ length: count }, () => this.#want({ form: "tool", makes: "property" }));
    await Promise.all(runs.map((run) => this.#ask(run, this.#random, [port])));
    const acknowledged = runs.filter(({ runId }) => runId !== null);
    for (const run of runs) this.#working.push(this.#untilAcknowledged(run, this.#random));
    return acknowledged;
  }

  /** Nothing more is asked for; resolves when all that was is acknowledged. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
  }

  async #work(random: () => number, form: "drawn" | "single" | "waited"): Promise<void> {
    const followed: string[] = [];
    while (!this.#isOver) {
      await this.#untilFewAreOpen(followed, random);
      if (this.#isOver) return;
      const run = this.#want(form === "drawn" ? this.#draw(random) : { form, makes: "deployment" });
      await (form === "waited" ? this.#askOnce(run, random) : this.#untilAcknowledged(run, random));
      if (this.problems.length > 0) return;
      if (run.runId !== null) followed.push(run.runId);
      await after(random() * pauseMillisecondsMax);
    }
  }

  async #untilAcknowledged(run: WantedRun, random: () => number): Promise<void> {
    while (run.runId === null && this.problems.length === 0) await this.#ask(run, random);
  }

  #draw(random: () => number): Wish {
    return drawWish(random, this.wanted.filter(({ makes }) => makes === "property").length);
  }

  #want(wish: Wish): WantedRun {
    const run: WantedRun = { ...wish, mark: markOf(wish, this.wanted.length), asked: 0, runId: null };
    this.wanted.push(run);
    return run;
  }

  async #untilFewAreOpen(followed: string[], random: () => number): Promise<void> {
    while (followed.length >= openMax && !this.#isOver && this.problems.length === 0) {
      const runId = followed.shift() ?? "";
      const answer = await this.#parts.node.send(`runs/${runId}/get`, {}, random);
      if (answer?.status === 200 && !openStates.includes(answer.body.status)) continue;
      // Another one may have ended meanwhile.
      followed.push(runId);
      if (answer === null || answer.status === 200) await after(50);
      else this.problems.push(`The look at ${runId} was answered ${answer.status} ${answer.text}`);
    }
  }

  /** "One Idempotency-Key, one effect": whichever node gets the repeat, and whatever became of the first. */
  async #ask(run: WantedRun, random: () => number, ports?: readonly number[]): Promise<void> {
    run.asked++;
    const { operation, body } = this.#callFor(run);
    const answer = await this.#parts.node.send(operation, body, random, { "idempotency-key": run.mark }, ports);
    if (answer === null) await after(20);
    else if (answer.status === 200) {
      run.runId = answer.body.run_id;
      this.acknowledged++;
    }
    // The node that took the first call is dead or frozen: its key is free again once its lease is over.
    else if (answer.body.code === "idempotency_in_progress") await after(200);
    else this.problems.push(`The start of ${run.mark} was answered ${answer.status} ${answer.text}`);
  }

  /** Without an Idempotency-Key a caller cannot ask again: what became of an unanswered call, only the store knows. */
  async #askOnce(run: WantedRun, random: () => number): Promise<void> {
    run.asked++;
    const operation = `tools/${this.#parts.toolIdOf({ form: "tool", makes: run.makes })}/trigger`;
    const body = { params: { mark: run.mark }, wait_seconds: waitSeconds };
    const answer = await this.#parts.node.send(operation, body, random);
    if (answer?.status === 200) {
      run.runId = answer.body.run_id;
      this.acknowledged++;
    } else if (answer === null || answer.status === 503) run.isUnanswered = true;
    else this.problems.push(`The start of ${run.mark} was answered ${answer.status} ${answer.text}`);
  }

  #callFor(run: WantedRun): { operation: string; body: object } {
    const { first, projectId, toolIdOf } = this.#parts;
    if (run.form !== "single") {
      return { operation: `tools/${toolIdOf(run)}/trigger_async`, body: { params: { mark: run.mark } } };
    }
    const { step, body } = singleStep(first.connections ?? {}, projectId, run.mark);
    return { operation: `steps/${step}/run`, body };
  }
}

function formOf(index: number): "drawn" | "single" | "waited" {
  if (index < starterCount) return "drawn";
  return index < starterCount + singleCount ? "single" : "waited";
}
