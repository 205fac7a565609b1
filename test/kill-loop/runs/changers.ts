import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import { seededRandom } from "../random.ts";
import { type AnyNode, after } from "./any-node.ts";
import { endStates, isHonestFailure, type SeenRun, saysNothingDone } from "./oracle.ts";
import type { Outside } from "./outside.ts";
import { type Deed, deeds, Garden, type PlantedKind, plantedKinds, writeTo } from "./planted.ts";
import { openStates } from "./starters.ts";

/** A run that changes or deletes a record of its own. */
export interface ChangingRun {
  kind: PlantedKind;
  deed: Deed;
  form: "tool" | "single";
  id: string | number;
  mark: string;
  runId: string | null;
}

const clientCount = 8;
const pauseMillisecondsMax = 100;
/** The list of a project's variables must fit on a page, and a look for a property reads all of its account. */
const runsMax = 240;

export interface ChangersParts {
  first: FirstRunRegion;
  outside: Outside;
  node: AnyNode;
  seed: number;
  toolIdOf: (title: string) => string;
}

/** One tool for each kind of record and what is done to it. */
export const changingTools = (first: FirstRunRegion, project: string): { title: string; tool: object }[] =>
  plantedKinds.flatMap((kind) =>
    deeds.map((deed) => {
      const title = titleOf(kind, deed);
      const write = writeTo[kind](first.connections ?? {}, project, deed, "{{params.id}}", "{{params.mark}}");
      return { title, tool: { title, params_schema: { type: "object" }, steps: [{ name: "write", ...write }] } };
    }),
  );

const titleOf = (kind: PlantedKind, deed: Deed): string => `${deed} ${kind}`;

/** Clients that go on changing and deleting records, each of them by one run. */
export class Changers {
  readonly wanted: ChangingRun[] = [];
  readonly problems: string[] = [];
  readonly #parts: ChangersParts;
  readonly #garden: Garden;
  readonly #working: Promise<void>[] = [];
  #isOver = false;

  constructor(parts: ChangersParts) {
    this.#parts = parts;
    this.#garden = new Garden(parts.outside);
  }

  begin(): void {
    for (let index = 0; index < clientCount; index++)
      this.#working.push(this.#work(seededRandom(this.#parts.seed * 1000 + 950 + index)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
  }

  /** What the systems show of every record, beside what its run says. Returns sentences about broken promises. */
  async judge(runs: ReadonlyMap<string, SeenRun>): Promise<string[]> {
    const sentences: string[] = [];
    for (const each of this.wanted) {
      const run = runs.get(each.runId ?? "");
      if (!run) continue;
      const state = await this.#garden.stateOf(each.kind, each.id, each.mark);
      const why = broken(each, run, state === doneBy[each.deed], state === "as planted");
      if (why !== null)
        sentences.push(
          `${run.run_id} (${each.form}, ${titleOf(each.kind, each.deed)} ${each.id}, ${run.status}) ${why} The record is ${state}. ${JSON.stringify(run.steps).slice(0, 2000)}`,
        );
    }
    return sentences;
  }

  /** What a person reports who has looked at the record. */
  async lookAt({ kind, deed, form, id, mark }: ChangingRun): Promise<object> {
    const isDone = (await this.#garden.stateOf(kind, id, mark)) === doneBy[deed];
    if (isDone) return { outcome: "happened", output: {} };
    // The value of a variable is not stored, so a single step cannot send it again.
    return { outcome: kind === "planted variable" && form === "single" ? "did_not" : "retry" };
  }

  async #work(random: () => number): Promise<void> {
    while (!this.#isOver && this.problems.length === 0 && this.wanted.length < runsMax) {
      const run = await this.#plant(random);
      while (run.runId === null && this.problems.length === 0) await this.#ask(run, random);
      while (!this.#isOver && this.problems.length === 0 && (await this.#isOpen(run, random))) await after(50);
      await after(random() * pauseMillisecondsMax);
    }
  }

  async #plant(random: () => number): Promise<ChangingRun> {
    const number = this.wanted.length;
    // Each of the six has its turn, however short the loop is.
    const kind = plantedKinds[number % plantedKinds.length] ?? "planted lead";
    const deed = Math.floor(number / plantedKinds.length) % 2 === 0 ? "change" : "remove";
    const form = random() < 0.5 ? "tool" : "single";
    const run: ChangingRun = { kind, deed, form, id: "", mark: `changed-${number}`, runId: null };
    this.wanted.push(run);
    run.id = await this.#garden.plant(kind, number);
    return run;
  }

  async #ask(run: ChangingRun, random: () => number): Promise<void> {
    const { operation, body } = this.#callFor(run);
    const answer = await this.#parts.node.send(operation, body, random, { "idempotency-key": run.mark });
    if (answer === null) await after(20);
    else if (answer.status === 200) run.runId = answer.body.run_id;
    else if (answer.body.code === "idempotency_in_progress") await after(200);
    else this.problems.push(`The start of ${run.mark} was answered ${answer.status} ${answer.text}`);
  }

  async #isOpen({ runId }: ChangingRun, random: () => number): Promise<boolean> {
    const answer = await this.#parts.node.send(`runs/${runId}/get`, {}, random);
    return answer?.status !== 200 || openStates.includes(answer.body.status);
  }

  #callFor({ kind, deed, form, id, mark }: ChangingRun): { operation: string; body: object } {
    const { first, outside, toolIdOf } = this.#parts;
    if (form === "tool")
      return { operation: `tools/${toolIdOf(titleOf(kind, deed))}/trigger_async`, body: { params: { id, mark } } };
    const { step, ...body } = writeTo[kind](first.connections ?? {}, outside.projectId, deed, id, mark);
    return { operation: `steps/${step}/run`, body };
  }
}

const doneBy = { change: "changed", remove: "gone" } as const;

/** Killed writes keep their slots among the concurrent calls of an account for longer than a single step waits; it has sent nothing. */
const hasFoundNoSlot = ({ problem, steps }: SeenRun): boolean =>
  problem?.code === "rate_limited" && steps.every(({ attempts }) => attempts.every(({ effect }) => effect === "read"));

/** Which promise the run breaks; null for none. */
function broken({ deed }: ChangingRun, run: SeenRun, isDone: boolean, isUntouched: boolean): string | null {
  const [write] = run.steps;
  if (!isDone && !isUntouched) return `was to ${deed} the record.`;
  if (run.status === "succeeded" && !isDone) return "says that it has written, and it has not.";
  if (saysNothingDone(write) && isDone) return "says that nothing was done, and it was.";
  if (!endStates.includes(run.status)) return "is in no state that it may end in.";
  return run.status === "failed" && !isHonestFailure(run) && !hasFoundNoSlot(run)
    ? `has failed: ${JSON.stringify(run.problem)}.`
    : null;
}
