import type { FirstRunRegion } from "../../../src/start/first-run.ts";
import { createCaller } from "../../support/http-caller.ts";
import type { Deployed, Outside } from "./outside.ts";
import type { WantedRun } from "./starters.ts";

interface SeenRun {
  run_id: string;
  status: string;
  problem?: { code: string; detail: string };
}

/** Nothing takes longer than this once the kills are over; reaching it is a failure. */
const patienceMilliseconds = 90_000;
const settleTurnsMax = 20;
const open = ["queued", "running", "waiting"];

/** Compares what the server says of its runs with what the sandbox has really seen. */
export class RunOracle {
  readonly problems: string[] = [];
  /** How many runs came to a person, because nobody else could tell. */
  asked = 0;
  /** How many were killed after their write was handed over, and before its answer came. */
  cutOff = 0;
  readonly #first: FirstRunRegion;
  readonly #port: number;
  readonly #outside: Outside;

  constructor(first: FirstRunRegion, port: number, outside: Outside) {
    this.#first = first;
    this.#port = port;
    this.#outside = outside;
  }

  /** Every run ends or asks; what asks is answered truly, by looking at the sandbox; then every run has ended well. */
  async judge(wanted: WantedRun[]): Promise<void> {
    const caller = createCaller(this.#port);
    const headers = { authorization: `Bearer ${this.#first.project_id}:${this.#first.api_key}` };
    const call: Call = async (operation, body) => {
      const answer = await caller.call(operation, body, headers);
      if (answer.status !== 200) throw new Error(`${operation} was answered ${answer.status} ${answer.text}`);
      return answer.body;
    };
    try {
      await this.#untilNoneIsOpen(call);
      const runs = await listAll(call);
      const deployed = byMark(await this.#outside.deployed());
      this.#judgeKept(wanted, runs);
      for (const runId of runs.keys()) this.cutOff += wasCutOff(await call(`runs/${runId}/get`, {})) ? 1 : 0;
      for (const run of wanted) this.#judgeOne(run, runs.get(run.runId ?? ""), deployed.get(run.mark) ?? []);
      if (this.problems.length > 0) return;
      await this.#settleUnknown(call, wanted);
      await this.#judgeSettled(call, wanted);
    } finally {
      caller.close();
    }
  }

  async #untilNoneIsOpen(call: Call): Promise<void> {
    const end = performance.now() + patienceMilliseconds;
    for (const status of open) {
      for (;;) {
        const { results } = await call("runs/list", { status, limit: 1 });
        if (results.length === 0) break;
        if (performance.now() > end) return this.#complain(`A run does not end: ${JSON.stringify(results[0])}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    // Between two looks a run may have gone from one of these states to another.
    const runs = await listAll(call);
    if ([...runs.values()].some((run) => open.includes(run.status))) await this.#untilNoneIsOpen(call);
  }

  /** What was acknowledged is there, and nothing beside it: no start has had two effects. */
  #judgeKept(wanted: WantedRun[], runs: Map<string, SeenRun>): void {
    for (const { mark, runId } of wanted) {
      if (runId === null || !runs.has(runId))
        this.#complain(`The run ${runId} of ${mark} was acknowledged and is lost.`);
    }
    const asked = new Set(wanted.map(({ runId }) => runId));
    for (const runId of runs.keys()) if (!asked.has(runId)) this.#complain(`Nobody was told of the run ${runId}.`);
  }

  #judgeOne({ mark, runId }: WantedRun, run: SeenRun | undefined, deployed: Deployed[]): void {
    if (deployed.length > 1) {
      this.#complain(
        `${runId} (${run?.status}) has created ${mark} ${deployed.length} times: ${JSON.stringify(deployed)}`,
      );
    }
    for (const { intent } of deployed) {
      if (!intent.startsWith(`${runId}.`)) this.#complain(`${mark} is of ${runId}, and its deployment says ${intent}.`);
    }
    if (run?.status === "succeeded" && deployed.length === 0)
      this.#complain(`${runId} succeeded, and created nothing.`);
    if (run && !["succeeded", "outcome_unknown"].includes(run.status)) {
      this.#complain(`${runId} of ${mark} is ${run.status}: ${JSON.stringify(run.problem)}`);
    }
  }

  /** What a person does: look at the system, then say what happened. A retry may be cut off like any other. */
  async #settleUnknown(call: Call, wanted: WantedRun[]): Promise<void> {
    for (let turn = 0; turn < settleTurnsMax; turn++) {
      const runs = await listAll(call);
      const unknown = wanted.filter(({ runId }) => runs.get(runId ?? "")?.status === "outcome_unknown");
      if (turn === 0) this.asked = unknown.length;
      if (unknown.length === 0) return;
      const deployed = byMark(await this.#outside.deployed());
      for (const { mark, runId } of unknown) {
        const [made] = deployed.get(mark) ?? [];
        const happened = { outcome: "happened", output: { deployment_id: made?.deploymentId } };
        await call(`runs/${runId}/resolve`, made ? happened : { outcome: "retry" });
      }
      await this.#untilNoneIsOpen(call);
    }
  }

  async #judgeSettled(call: Call, wanted: WantedRun[]): Promise<void> {
    const runs = await listAll(call);
    const deployed = byMark(await this.#outside.deployed());
    for (const { mark, runId } of wanted) {
      const status = runs.get(runId ?? "")?.status;
      const count = deployed.get(mark)?.length ?? 0;
      if (status === "succeeded" && count === 1) continue;
      this.#complain(`After a person's word ${runId} is ${status}, and ${mark} is there ${count} times.`);
    }
  }

  #complain(sentence: string): void {
    this.problems.push(sentence);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: it reads whatever members it expects.
type Call = (operation: string, body: unknown) => Promise<any>;

/** An attempt without an answer, and without a problem that says why there is none. */
const wasCutOff = ({ steps }: { steps: { attempts: { response?: object; problem?: object }[] }[] }): boolean =>
  steps.some(({ attempts }) => attempts.some(({ response, problem }) => !response && !problem));

async function listAll(call: Call): Promise<Map<string, SeenRun>> {
  const runs = new Map<string, SeenRun>();
  let after: string | null = null;
  do {
    const page: { results: SeenRun[]; next: string | null } = await call("runs/list", { limit: 100, after });
    for (const run of page.results) runs.set(run.run_id, run);
    after = page.next;
  } while (after !== null);
  return runs;
}

const byMark = (deployed: Deployed[]): Map<string, Deployed[]> => Map.groupBy(deployed, ({ mark }) => mark);
