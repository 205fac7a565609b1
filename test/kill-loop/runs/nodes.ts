import { type LoadedServer, loadServer, type ServerProcess } from "../../support/processes/server-process.ts";

/** So many are loaded ahead; more would take the machine from those at work. */
const loadedMax = 2;
/** So long after a pause of its own a node may still say that the database does not answer. */
const wakingMilliseconds = 5_000;
/** A caller waits so long for a connection before it is refused: `queue` and `check` in `src/store/postgres/pools.ts`. */
const queueMilliseconds = 5_500;

/** When a node stood still, in milliseconds since 1970. */
interface Pause {
  from: number;
  until: number;
}

/** The server's processes on one store: each is killed, stopped, frozen and started again, many times. */
export class Nodes {
  readonly #home: string;
  readonly #program: string;
  readonly #settings: NodeJS.ProcessEnv;
  readonly #nodes: (ServerProcess | null)[];
  readonly #starting: Promise<void>[];
  readonly #loaded: Promise<LoadedServer>[] = [];
  readonly #pauses = new WeakMap<ServerProcess, Pause[]>();
  readonly #pausesOfAll: Pause[] = [];
  /** What no process should have printed, or ended by. */
  readonly troubles: string[] = [];

  constructor(home: string, settings: NodeJS.ProcessEnv, count: number, program: string) {
    this.#home = home;
    this.#program = program;
    this.#settings = settings;
    this.#nodes = Array.from({ length: count }, () => null);
    this.#starting = this.#nodes.map(() => Promise.resolve());
  }

  get count(): number {
    return this.#nodes.length;
  }

  async startAll(): Promise<void> {
    for (const index of this.#nodes.keys()) await this.#start(index);
  }

  /** The ports of those that answer now. */
  ports(): number[] {
    return this.#nodes.filter((node) => node !== null).map((node) => node.port);
  }

  /** Once the node answers. */
  async ready(index: number): Promise<void> {
    await this.#starting[index];
  }

  /** Ends the node without a warning; it restarts while the others work on. */
  async killAndRestart(index: number): Promise<void> {
    await this.#end(index, (node) => node.kill());
    this.#restart(index);
  }

  /** Ends the node as a service manager does. */
  async stopAndRestart(index: number): Promise<void> {
    await this.#end(index, (node) => node.stop());
    this.#restart(index);
  }

  /** The node stands still from now on, until it is killed or told to go on. */
  freeze(index: number): { goOn(): void } {
    const node = this.#nodes[index];
    if (!node) return { goOn: () => {} };
    const pause: Pause = { from: Date.now(), until: Number.POSITIVE_INFINITY };
    this.#pauses.set(node, [...(this.#pauses.get(node) ?? []), pause]);
    this.#pausesOfAll.push(pause);
    node.freeze();
    return {
      goOn: () => {
        pause.until = Date.now();
        node.thaw();
      },
    };
  }

  portOf(index: number): number | null {
    return this.#nodes[index]?.port ?? null;
  }

  pidOf(index: number): number {
    return this.#nodes[index]?.pid ?? 0;
  }

  async allReady(): Promise<void> {
    await Promise.all(this.#starting);
  }

  async endAll(): Promise<void> {
    await Promise.allSettled(this.#starting);
    for (const loaded of this.#loaded.splice(0)) (await loaded).drop();
    await Promise.all([...this.#nodes.keys()].map((index) => this.#end(index, (node) => node.kill())));
  }

  #restart(index: number): void {
    this.#starting[index] = this.#start(index);
    // The waiting caller gets the error; until then nobody handles it.
    this.#starting[index].catch(() => {});
  }

  async #start(index: number): Promise<void> {
    while (this.#loaded.length <= Math.min(loadedMax, this.count))
      this.#loaded.push(loadServer(this.#home, this.#settings, this.#program));
    const loaded = await this.#loaded.shift();
    this.#nodes[index] = (await loaded?.start()) ?? null;
  }

  async #end(index: number, how: (node: ServerProcess) => Promise<unknown>): Promise<void> {
    const node = this.#nodes[index];
    if (!node) return;
    this.#nodes[index] = null;
    const ownEnd = node.ownEnd();
    if (ownEnd !== null) this.troubles.push(`A server ended by itself: ${ownEnd}`);
    // One that stops refuses what it does not finish in time, and says so in its log.
    const printed = node.printed();
    await how(node);
    const pauses = this.#pauses.get(node) ?? [];
    for (const pause of pauses) pause.until = Math.min(pause.until, Date.now());
    const isOfAll = (line: string) => lockHeld.some((words) => line.includes(words));
    const isExpected = (line: string) =>
      isOfAll(line)
        ? isOfPause(line, this.#pausesOfAll, queueMilliseconds + wakingMilliseconds)
        : isOfPause(line, pauses, wakingMilliseconds);
    const errors = printed.split("\n").filter((line) => line.startsWith('{"level":50') && !isExpected(line));
    const stood = this.#pausesOfAll.map(({ from, until }) => `${iso(from)} to ${iso(until)}`).join(", ");
    for (const line of errors)
      this.troubles.push(`A server logged: ${line.slice(0, 2000)} (nodes stood still: ${stood || "never"})`);
  }
}

const iso = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : "now");

/**
 * A frozen node may hold a lock. The others refuse calls until it is released, first those that wait for it, then those that find no
 * connection because these have all of them, and log this. Those that came last, just before the release, are refused last.
 */
const lockHeld = [
  "Another transaction holds what this one changes.",
  "No connection to the database became free in time.",
];

/** After a pause of its own a node takes it for the database's, and says for a moment that the database does not answer. */
function isOfPause(line: string, pauses: readonly Pause[], after: number): boolean {
  if (!line.includes('"StoreUnavailable"')) return false;
  const loggedAt = Date.parse(String((JSON.parse(line) as { time?: string }).time));
  return pauses.some(({ from, until }) => loggedAt >= from && loggedAt <= until + after);
}
