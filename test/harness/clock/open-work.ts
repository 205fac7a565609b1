import { onTheWire, toPermissions } from "../../../src/access/permissions.ts";
import type { World } from "../load/world.ts";
import { becomes, bringForward, type Client } from "./client.ts";
import type { FakedClock } from "./faked-clock.ts";
import { laterAddress, type Parties } from "./parties.ts";

/**
 * Time goes on in steps. A mail or a delivery waits for two minutes; on PostgreSQL, a write that is under way when time goes on may count as lost, and
 * its system is then asked some times.
 */
const stepSeconds = 125;
const stepsMax = 12;
/** How often a server looks for deliveries and for mails that are due, in milliseconds. */
const polls = [5_000, 15_000];

interface Opened {
  offset: number;
  /** Its first step waits for a system that is away; its second one writes. */
  retried: string;
  mark: string;
  /** Has ended; a webhook was to be told. */
  ended: string;
  recipient: string;
}

/**
 * Work that a server begins while its clock is ahead, and that others refuse meanwhile: a run with a retry, a delivery, a mail. Once the others are back and the
 * clock was set, each of them is done, and once.
 */
export class OpenWork {
  readonly broken: string[] = [];
  readonly #seconds: number[] = [];
  readonly #world: World;
  readonly #client: Client;
  readonly #parties: Parties;
  readonly #clock: FakedClock;
  readonly #secondsMax: number;
  readonly #connectionId: string;
  readonly #all: Opened[] = [];
  #webhookId = "";
  #open: Opened | null = null;

  constructor(world: World, client: Client, parties: Parties, clock: FakedClock, secondsMax: number) {
    this.#world = world;
    this.#client = client;
    this.#parties = parties;
    this.#clock = clock;
    this.#secondsMax = secondsMax;
    this.#connectionId = String(world.first.connections?.deployment);
  }

  async prepare(): Promise<void> {
    const wish = { url: this.#parties.hookUrl, events: ["run.succeeded"] };
    this.#webhookId = (await this.#client.done("webhooks/create", wish)).webhook_id;
  }

  get note(): string {
    const slowest = Math.round(Math.max(0, ...this.#seconds));
    return `work that was begun by a wrong clock ${this.#seconds.length} times was done within ${slowest} s of the clock`;
  }

  /** Resolves when all of it has been refused once. */
  async begin(offset: number, refusal: object): Promise<void> {
    const { done } = this.#client;
    await this.#parties.leave(refusal);
    const number = this.#all.length;
    const [mark, recipient] = [`ahead-${process.pid}-${number}`, laterAddress(number)];
    const retried = await this.#run([
      { name: "ask", step: "list_deployments", connection_id: this.#connectionId, input: { limit: 1 } },
      { name: "write", step: "create_deployment", connection_id: this.#connectionId, input: this.#wishOf(mark) },
    ]);
    const ended = await this.#run([{ name: "rest", step: "wait", input: { seconds: 0 } }]);
    const permissions = onTheWire(toPermissions(["role:viewer"]));
    await done("auth/invite/create", { email: recipient, permissions });
    this.#open = { offset, retried, mark, ended, recipient };
    this.#all.push(this.#open);
    const isRefused = async () => {
      const run = await done(`runs/${retried}/get`);
      const { results } = await done(`webhooks/${this.#webhookId}/deliveries`, { status: "pending" });
      return run.status === "waiting" && results.length > 0 && this.#parties.refusedMails.has(recipient);
    };
    if (!(await becomes(this.#secondsMax, isRefused)))
      this.broken.push(`Work could not be begun: ${JSON.stringify((await done(`runs/${retried}/get`)).problem)}`);
  }

  /** After the clock was set. Nobody waits for the time that passes. */
  async finish(): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    await this.#parties.comeBack();
    const startedAt = this.#clock.now().getTime();
    for (let step = 0; step < stepsMax; step++) {
      const isLast = step === stepsMax - 1;
      for (const every of polls) await bringForward(this.#world, every);
      if (await becomes(isLast ? this.#secondsMax : 2, async () => (await this.#left(open)).length === 0)) break;
      if (!isLast) await this.#clock.pass(stepSeconds);
    }
    this.#seconds.push((this.#clock.now().getTime() - startedAt) / 1000);
    const left = await this.#left(open);
    if (left.length > 0) this.broken.push(`Begun at ${open.offset} s, and not done afterwards: ${left.join("; ")}`);
  }

  /** What was done more than once. */
  async doubled(): Promise<number> {
    const { outside, events, mails } = this.#parties;
    const marks = (await outside.made([])).map(({ mark }) => mark);
    let doubled = 0;
    for (const { mark, recipient } of this.#all) {
      const [writes, sent] = [marks.filter((each) => each === mark).length, mails.get(recipient) ?? 0];
      if (writes > 1) this.broken.push(`The write of ${mark} happened ${writes} times.`);
      if (sent > 1) this.broken.push(`The mail to ${recipient} was accepted ${sent} times.`);
      doubled += Math.max(0, writes - 1) + Math.max(0, sent - 1);
    }
    for (const [run, count] of events) {
      if (count === 1) continue;
      doubled++;
      this.broken.push(`The end of ${run} was announced ${count} times.`);
    }
    return doubled;
  }

  async #left({ retried, ended, recipient }: Opened): Promise<string[]> {
    const { events, mails } = this.#parties;
    const run = await this.#client.done(`runs/${retried}/get`);
    return [
      ...(run.status === "succeeded" ? [] : [`the run ${retried} is ${run.status} ${JSON.stringify(run.waiting_for)}`]),
      ...[retried, ended].filter((id) => !events.has(id)).map((id) => `the end of ${id} was not announced`),
      ...(mails.has(recipient) ? [] : [`the mail to ${recipient} was not sent`]),
    ];
  }

  #wishOf(mark: string): object {
    return { project: this.#parties.outside.projectId, metadata: { mark } };
  }

  async #run(steps: object[]): Promise<string> {
    const { done } = this.#client;
    const tool = await done("tools/create", { title: "Begun", params_schema: { type: "object" }, steps });
    return (await done(`tools/${tool.tool_id}/trigger_async`, { params: {} })).run_id;
  }
}
