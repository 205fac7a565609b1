import type { Outside } from "../../kill-loop/runs/outside.ts";
import { createCaller } from "../../support/processes/http-caller.ts";
import { pause, type World } from "../load/world.ts";

const secondsMax = 180;
/** The system carries out a held write this much later. */
const heldMilliseconds = 4_000;
const runsOfAKind = 2;

interface OpenRun {
  id: string;
  mark: string;
  /** Whether the system can be asked if the write has happened. */
  canTell: boolean;
}

/**
 * Runs that are open at the moment to which a database goes back: some wait for a person, of others the write is under way.
 * All of them send their write after that moment.
 */
export class RunsAcross {
  readonly broken: string[] = [];
  readonly #outside: Outside;
  readonly #runs: OpenRun[] = [];
  readonly #held: OpenRun[] = [];
  #world: World;
  #count = 0;
  #sentBefore = 0;

  constructor(world: World, outside: Outside) {
    this.#world = world;
    this.#outside = outside;
  }

  /** Each waits for a person's word; then it writes once. */
  async start(): Promise<void> {
    this.#sentBefore = await this.#sentUnmarked();
    for (let number = 0; number < runsOfAKind * 2; number++) {
      for (const canTell of [true, false]) {
        const run = await this.#startOne(canTell);
        (number < runsOfAKind ? this.#runs : this.#held).push(run);
      }
    }
    for (const run of [...this.#runs, ...this.#held]) await this.#until(run, ["waiting"]);
  }

  /** Some writes reach their systems, which take their time. */
  async holdSome(): Promise<void> {
    for (const path of ["/v13/deployments", this.#envPath]) {
      const fault = { match: { method: "POST", path }, times: runsOfAKind, delay_ms: heldMilliseconds };
      await this.#outside.control("faults", fault);
    }
    for (const run of this.#held) await this.#call(`runs/${run.id}/approve`, { approved: true });
    for (const run of this.#held) await this.#until(run, ["running"]);
  }

  async finish(): Promise<void> {
    for (const run of this.#runs) await this.#call(`runs/${run.id}/approve`, { approved: true });
    for (const run of [...this.#runs, ...this.#held]) await this.#until(run, ["succeeded"]);
  }

  /** The same in the restored world. Returns how many wait for a person. */
  async finishAgain(world: World): Promise<number> {
    this.#world = world;
    let asked = 0;
    for (const run of this.#runs) {
      await this.#until(run, ["waiting"]);
      await this.#call(`runs/${run.id}/approve`, { approved: true });
    }
    for (const run of [...this.#runs, ...this.#held]) {
      const end = await this.#until(run, run.canTell ? ["succeeded"] : ["succeeded", "outcome_unknown"]);
      if (end === "outcome_unknown") asked++;
    }
    return asked;
  }

  /** Writes that the systems have got more than once. */
  async doubled(): Promise<number> {
    const all = [...this.#runs, ...this.#held];
    const made = await this.#outside.made([]);
    let doubled = 0;
    for (const { mark } of all.filter(({ canTell }) => canTell)) {
      const times = made.filter((record) => record.mark === mark).length;
      if (times === 0) this.broken.push(`The write of ${mark} never happened.`);
      doubled += Math.max(0, times - 1);
    }
    // The others leave no mark; the system counts the calls.
    const sent = (await this.#sentUnmarked()) - this.#sentBefore;
    return doubled + Math.max(0, sent - all.filter(({ canTell }) => !canTell).length);
  }

  #sentUnmarked(): Promise<number> {
    return this.#outside.sent("deployment", "POST", this.#envPath);
  }

  get #envPath(): string {
    return `/v10/projects/${this.#outside.projectId}/env`;
  }

  async #startOne(canTell: boolean): Promise<OpenRun> {
    const number = `${Date.now()}-${this.#count++}`;
    const mark = `across-${process.pid}-${number}`;
    const connection_id = this.#world.first.connections?.deployment;
    const variable = { key: `K_${number.replace("-", "_")}`, value: mark, type: "plain", target: ["preview"] };
    const write = canTell
      ? { step: "create_deployment", input: { project: this.#outside.projectId, metadata: { mark } } }
      : {
          step: "deployment_api_call",
          input: { method: "POST", path: this.#envPath, body: variable },
        };
    const tool = await this.#call("tools/create", {
      title: mark,
      params_schema: { type: "object" },
      steps: [
        { name: "ask", step: "approve", input: { message: "May I?" } },
        { name: "write", connection_id, ...write },
      ],
    });
    const { run_id } = await this.#call(`tools/${tool.tool_id}/trigger_async`, { params: {} });
    return { id: String(run_id), mark, canTell };
  }

  async #until(run: OpenRun, wanted: readonly string[]): Promise<string> {
    const end = performance.now() + secondsMax * 1000;
    for (;;) {
      const { status } = await this.#call(`runs/${run.id}/get`);
      if (wanted.includes(String(status))) return String(status);
      if (performance.now() > end) {
        this.broken.push(`The run ${run.id} is ${status}, and not ${wanted.join(" or ")}, after ${secondsMax} s.`);
        return String(status);
      }
      await pause(100);
    }
  }

  async #call(operation: string, body: object = {}): Promise<Record<string, unknown>> {
    const { first, port } = this.#world;
    const caller = createCaller(port);
    try {
      const authorization = `Bearer ${first.project_id}:${first.api_key}`;
      const answer = await caller.call(operation, body, { authorization });
      if (answer.status !== 200) throw new Error(`${operation} was answered ${answer.status} ${answer.text}`);
      return answer.body;
    } finally {
      caller.close();
    }
  }
}
