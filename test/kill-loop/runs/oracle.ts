import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import { createCaller } from "../../support/processes/http-caller.ts";
import type { Changers } from "./changers.ts";
import type { MadeRecord, Outside } from "./outside.ts";
import type { WantedRun } from "./starters.ts";

export interface SeenStep {
  name: string;
  status: string;
  output: unknown;
  problem?: { code: string; detail: string; remedy?: string };
  attempts: { effect: string; sent_at: string; response?: object; problem?: object }[];
}

export interface SeenRun {
  run_id: string;
  status: string;
  params?: { mark?: string };
  problem?: { code: string; detail: string };
  steps: SeenStep[];
}

/** Nothing takes longer than this once the kills are over; reaching it is a failure. */
const patienceMilliseconds = 300_000;
const settleTurnsMax = 20;
const open = ["queued", "running", "waiting"];
/** A run that nobody stops ends in one of these. */
export const endStates = ["succeeded", "failed", "outcome_unknown"];
/** A system that refuses, is away or is too slow for long enough makes a run fail; nothing else that happens here does. */
const honestFailures = ["system_unavailable", "timed_out"];
/** A single step waits for so long at most. */
const singleStepMilliseconds = 30_000;
const mayBeDone = "The request may have taken effect";
const readersMax = 6;

/** Compares what the server says of its runs with what the systems have really seen. */
export class RunOracle {
  readonly problems: string[] = [];
  /** Runs that came to a person, because nobody else could tell. */
  unknown = 0;
  /** Runs that failed, by their form and the code of their problem. */
  readonly failed: Record<string, number> = {};
  /** Runs that were killed after their write was handed over, and before its answer came. */
  cutOff = 0;
  /** Acknowledged runs that are not there; records that are there more than once; runs that do not end. */
  lost = 0;
  doubled = 0;
  leftOpen = 0;
  readonly #first: FirstRunRegion;
  readonly #port: number;
  readonly #outside: Outside;

  constructor(first: FirstRunRegion, port: number, outside: Outside) {
    this.#first = first;
    this.#port = port;
    this.#outside = outside;
  }

  /** Every run ends or asks; what asks is answered truly, by looking at the systems; then every run has one record or says why not. */
  async judge(wanted: WantedRun[], tell: (left: number) => void, changers: Changers | null = null): Promise<void> {
    await this.#calling(async (call) => {
      await this.#untilNoneIsOpen(call, tell);
      const runs = await readAll(call, [...(await listRuns(call)).keys()]);
      nameUnanswered(wanted, runs);
      const changes = changers?.wanted ?? [];
      this.#judgeKept([...wanted, ...changes], runs);
      await this.#judgeRecords(wanted, runs);
      this.problems.push(...((await changers?.judge(runs)) ?? []));
      const forms = new Map([...wanted, ...changes].map(({ runId, form }) => [runId, form]));
      for (const run of runs.values()) {
        if (run.steps.some(wasCutOff)) this.cutOff++;
        const why = `${forms.get(run.run_id)} ${run.problem?.code}`;
        if (run.status === "failed") this.failed[why] = (this.failed[why] ?? 0) + 1;
        if (run.status === "outcome_unknown") this.unknown++;
      }
      if (this.problems.length > 0) return;
      await this.#settleUnknown(call, wanted, changers);
    });
  }

  /** Every row of a list. */
  list(operation: string): Promise<Record<string, unknown>[]> {
    return this.#calling((call) => listAll(call, operation));
  }

  async #calling<T>(work: (call: Call) => Promise<T>): Promise<T> {
    const caller = createCaller(this.#port, readersMax);
    const headers = { authorization: `Bearer ${this.#first.project_id}:${this.#first.api_key}` };
    try {
      return await work(async (operation, body) => {
        const answer = await caller.call(operation, body, headers);
        if (answer.status !== 200) throw new Error(`${operation} was answered ${answer.status} ${answer.text}`);
        return answer.body;
      });
    } finally {
      caller.close();
    }
  }

  async #untilNoneIsOpen(call: Call, tell: (left: number) => void = () => {}): Promise<void> {
    const end = performance.now() + patienceMilliseconds;
    for (;;) {
      // By one list: a run may go from one of these states to another between two looks.
      const left = (await listAll(call, "runs/list")).filter(({ status }) => open.includes(String(status)));
      if (left.length === 0) return;
      tell(left.length);
      if (performance.now() > end) {
        this.leftOpen = left.length;
        return this.#complain(`${left.length} runs do not end, such as ${JSON.stringify(left[0])}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** What was acknowledged is there, and nothing beside it: no start has had two effects. */
  #judgeKept(
    wanted: (Pick<WantedRun, "mark" | "runId"> & { isUnanswered?: true })[],
    runs: Map<string, SeenRun>,
  ): void {
    for (const { mark, runId, isUnanswered } of wanted) {
      if (isUnanswered || (runId !== null && runs.has(runId))) continue;
      this.lost++;
      this.#complain(`The run ${runId} of ${mark} was acknowledged and is lost.`);
    }
    const asked = new Set(wanted.map(({ runId }) => runId));
    for (const runId of runs.keys()) if (!asked.has(runId)) this.#complain(`Nobody was told of the run ${runId}.`);
  }

  async #judgeRecords(wanted: WantedRun[], runs: Map<string, SeenRun>): Promise<void> {
    const made = Map.groupBy(await this.#outside.made(wanted), keyOf);
    for (const each of wanted) {
      const run = runs.get(each.runId ?? "");
      const own = made.get(`${each.makes} ${each.mark}`) ?? [];
      if (run) this.#judgeOne(each, run, own);
      else if (own.length > 0) this.#complain(`${each.mark} was written without a run: ${JSON.stringify(own)}.`);
    }
  }

  #judgeOne({ mark, form, makes, isUnanswered }: WantedRun, run: SeenRun, made: MadeRecord[]): void {
    const what = `${run.run_id} (${form}, ${makes} ${mark}, ${run.status})`;
    const complain = (sentence: string) => this.#complain(`${what} ${sentence} ${shown(run)}`);
    if (made.length > 1) {
      this.doubled += made.length - 1;
      complain(`has made ${made.length} records: ${JSON.stringify(made)}.`);
    }
    const write = writeOf(run);
    const [record] = made;
    if (run.status === "succeeded" && write?.status !== "succeeded") complain("succeeded without its write.");
    if (write?.status === "succeeded" && !record) complain("says that it has written, and there is nothing.");
    if (write?.status === "succeeded" && record && !isThat(record, write.output))
      complain(`says that it has made ${JSON.stringify(write.output)}, and it has made ${record.id}.`);
    if (saysNothingDone(write) && record) complain("says that nothing was done, and it was.");
    if (run.status === "cancelled" && record) complain("says that it was cancelled, and it has written.");
    // "A run that was started without a key is cancelled" if its caller was refused although it was stored.
    const mayBeCancelled = isUnanswered && form === "waited";
    if (!endStates.includes(run.status) && !(mayBeCancelled && run.status === "cancelled"))
      complain("is in no state that it may end in.");
    if (run.status === "failed" && !isHonestFailure(run)) complain("has failed.");
  }

  /** What a person does: look at the system, then say what happened. A retry may be cut off like any other. */
  async #settleUnknown(call: Call, wanted: WantedRun[], changers: Changers | null): Promise<void> {
    for (let turn = 0; turn < settleTurnsMax; turn++) {
      const runs = await listRuns(call);
      const isUnknown = ({ runId }: { runId: string | null }) => runs.get(runId ?? "")?.status === "outcome_unknown";
      const changes = changers?.wanted.filter(isUnknown) ?? [];
      const unknown = wanted.filter(isUnknown);
      if (unknown.length + changes.length === 0) break;
      const made = Map.groupBy(await this.#outside.made(wanted), keyOf);
      for (const { mark, makes, runId } of unknown) {
        const [record] = made.get(`${makes} ${mark}`) ?? [];
        const happened = record && { outcome: "happened", output: outputOf(record) };
        await call(`runs/${runId}/resolve`, happened ?? { outcome: "retry" });
      }
      for (const each of changes) await call(`runs/${each.runId}/resolve`, await changers?.lookAt(each));
      await this.#untilNoneIsOpen(call);
    }
    const settled = await readAll(call, [...(await listRuns(call)).keys()]);
    await this.#judgeRecords(wanted, settled);
    this.problems.push(...((await changers?.judge(settled)) ?? []));
  }

  #complain(sentence: string): void {
    this.problems.push(sentence);
  }
}

/** A call that was not answered may have left a run: its mark tells. */
function nameUnanswered(wanted: WantedRun[], runs: Map<string, SeenRun>): void {
  const byMark = new Map([...runs.values()].map(({ run_id, params }) => [params?.mark, run_id]));
  for (const run of wanted) if (run.isUnanswered) run.runId = byMark.get(run.mark) ?? null;
}

// biome-ignore lint/suspicious/noExplicitAny: it reads whatever members it expects.
type Call = (operation: string, body: unknown) => Promise<any>;

const keyOf = ({ kind, mark }: MadeRecord): string => `${kind} ${mark}`;

/** The run of a single step has that one alone, under its own name. */
const writeOf = ({ steps }: SeenRun): SeenStep | undefined =>
  steps.find(({ name }) => name === "create" || name === "create_deployment");

export const saysNothingDone = (write: SeenStep | undefined): boolean =>
  !write || (write.status === "failed" && !write.problem?.remedy?.includes(mayBeDone));

export const isHonestFailure = (run: SeenRun): boolean =>
  honestFailures.includes(run.problem?.code ?? "") || hasOutwaited(run);

/** An attempt without an answer, and without a problem that says why there is none. */
export const wasCutOff = ({ attempts = [] }: SeenStep): boolean =>
  attempts.some(({ effect, response, problem }) => effect !== "read" && !response && !problem);

/** Its node stood still for all of the time that it may wait: then a used-up limit ends it, and it says when to call again. */
function hasOutwaited({ problem, steps: [step, ...others] }: SeenRun): boolean {
  if (problem?.code !== "rate_limited" || !step || others.length > 0) return false;
  const sentAt = step.attempts.map(({ sent_at }) => Date.parse(sent_at));
  return Math.max(...sentAt) - Math.min(...sentAt) >= singleStepMilliseconds;
}

/** The output of a deployment and of a property names it; that of a call by path is the system's own answer. */
const outputOf = ({ kind, id }: MadeRecord): object => {
  if (kind === "deployment") return { deployment_id: id };
  if (kind === "property") return { property_id: id };
  return { status: 200, body: { success: true, result: [{ id: Number(id), status: "created" }] } };
};

function isThat({ kind, id }: MadeRecord, output: unknown): boolean {
  const members = (output ?? {}) as Record<string, unknown>;
  if (kind !== "lead") return members[`${kind}_id`] === id;
  return JSON.stringify(output).includes(`"id":${id},`);
}

/** Its history in short: what it tried, and what came of that. */
const shown = ({ problem, steps }: SeenRun): string => {
  const attempts = steps.flatMap(({ name, status, attempts: tried }) =>
    tried.map((one) => `${name} ${status}: ${JSON.stringify(one).slice(0, 700)}`),
  );
  return [JSON.stringify(problem), ...attempts].join("\n      ");
};

async function readAll(call: Call, runIds: string[]): Promise<Map<string, SeenRun>> {
  const runs = new Map<string, SeenRun>();
  const left = [...runIds];
  const read = async () => {
    for (let runId = left.pop(); runId !== undefined; runId = left.pop())
      runs.set(runId, await call(`runs/${runId}/get`, {}));
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  return runs;
}

const listRuns = async (call: Call): Promise<Map<string, { status: string }>> =>
  new Map((await listAll(call, "runs/list")).map((run) => [String(run.run_id), { status: String(run.status) }]));

async function listAll(call: Call, operation: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let after: string | null = null;
  do {
    const page: { results: Record<string, unknown>[]; next: string | null } = await call(operation, {
      limit: 100,
      after,
    });
    rows.push(...page.results);
    after = page.next;
  } while (after !== null);
  return rows;
}
