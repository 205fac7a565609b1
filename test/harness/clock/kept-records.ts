import { runProgram } from "../../support/processes/server-process.ts";
import type { World } from "../load/world.ts";
import { bringForward, type Client } from "./client.ts";

/** What policies and time limits delete. */
const all = `select 'run' as kind, id as name from runs
  union all select 'event', id from events
  union all select 'delivery', id from deliveries
  union all select 'session', id from sessions
  union all select 'audit row', organization_id || ' ' || seq from audit_log
  union all select 'idempotency key', user_id || ' ' || project_id || ' ' || path || ' ' || idempotency_key
    from idempotent_answers`;

/** Of the server: its look at the clock; what is no longer valid; what policies no longer keep; old states of limits. In milliseconds. */
const [clockCheck, cleanUp, retention, limits] = [60_000, 600_000, 3_600_000, 21_600_000];
const failures =
  /"msg":"[^"]*(could not be deleted|background work failed|could not be moved back|could not be recorded)/;

/** Names of records, each with its kind. */
export type Records = ReadonlyMap<string, string>;

/** The server's own passes that delete, made to happen when a harness wants, and what they leave. */
export class KeptRecords {
  readonly #world: World;
  readonly #client: Client;
  #agentUrl = "";
  #events = 0;

  constructor(world: World, client: Client) {
    this.#world = world;
    this.#client = client;
  }

  /** The shortest times for which an organization can keep its records. */
  async prepare(): Promise<void> {
    const [week, quarter] = [{ days: 7 }, { days: 90 }];
    const policy = { runs: week, events: week, deliveries: week, audit: quarter };
    await this.#client.done("organizations/retention/update", policy);
    const agent = await this.#client.done("agents/create", { name: "Listens", webhook_signature: "off" });
    this.#agentUrl = new URL(agent.webhook_url).pathname;
  }

  /** Somebody sends an event, which is kept. */
  async receiveEvent(): Promise<void> {
    const body = JSON.stringify({ id: `event-${this.#events++}`, type: "deployment.succeeded", payload: {} });
    const url = `http://127.0.0.1:${this.#world.port}${this.#agentUrl}`;
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    if (answer.status !== 202) throw new Error(`An event was answered ${answer.status} ${await answer.text()}`);
  }

  read(): Promise<Records> {
    return this.#world.open(async (store) => {
      const rows = await store.query<{ kind: string; name: string }>(all);
      return new Map(rows.map(({ kind, name }) => [`${kind} ${name}`, kind]));
    });
  }

  /** Everything that a server deletes in hours, now. Resolves when it is done. */
  async deleteOld(): Promise<void> {
    for (const every of [cleanUp, retention, limits]) await bringForward(this.#world, every);
  }

  /** The server compares its clock with the store's. */
  checkClock(): Promise<void> {
    return bringForward(this.#world, clockCheck);
  }

  /** When the server last recorded the time, by its clock. */
  clockSeen(): Promise<number> {
    return this.#world.open(async (store) => {
      const [row] = await store.query<{ seen_at: string }>("select seen_at from clock_seen");
      return Date.parse(row?.seen_at ?? "");
    });
  }

  /** A person says that the clock is right. */
  async confirmClock(settings: NodeJS.ProcessEnv): Promise<string[]> {
    const { home, databaseUrl } = this.#world;
    const store = databaseUrl === null ? {} : { SIGNALBOX_DATABASE_URL_US: databaseUrl };
    const said = await runProgram(["confirm-clock", "--region", "us", "--home", home], { ...settings, ...store });
    await this.checkClock();
    return said.code === 0 ? [] : [`confirm-clock ended with ${said.code}: ${said.output}`];
  }

  async missing(before: Records): Promise<string[]> {
    const after = await this.read();
    return [...before.keys()].filter((name) => !after.has(name));
  }

  /** What the server itself reported. */
  failures(): string[] {
    return this.#world.server
      .printed()
      .split("\n")
      .filter((line) => failures.test(line));
  }
}
