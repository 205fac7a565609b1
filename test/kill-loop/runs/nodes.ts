import { type ServerProcess, startServer } from "../../support/server-process.ts";

/** The server's processes on one store: each is killed and started again, many times. */
export class Nodes {
  readonly #home: string;
  readonly #settings: NodeJS.ProcessEnv;
  readonly #nodes: (ServerProcess | null)[];
  readonly #starting: Promise<void>[];
  /** What no process should have printed, or ended by. */
  readonly troubles: string[] = [];

  constructor(home: string, settings: NodeJS.ProcessEnv, count: number) {
    this.#home = home;
    this.#settings = settings;
    this.#nodes = Array.from({ length: count }, () => null);
    this.#starting = this.#nodes.map(() => Promise.resolve());
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

  /** Ends the node without a warning; it comes back while the others go on. */
  async killAndRestart(index: number): Promise<void> {
    await this.#kill(index);
    this.#starting[index] = this.#start(index);
    // Whoever waits for it hears of it; until then it is nobody's.
    this.#starting[index].catch(() => {});
  }

  /** The node stands still for so long, then goes on as if nothing had been, unless it was killed meanwhile. */
  async freeze(index: number, milliseconds: number): Promise<void> {
    const node = this.#nodes[index];
    node?.freeze();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    node?.thaw();
  }

  async allReady(): Promise<void> {
    await Promise.all(this.#starting);
  }

  async endAll(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#nodes.keys()].map((index) => this.#kill(index)));
  }

  async #start(index: number): Promise<void> {
    this.#nodes[index] = await startServer(this.#home, this.#settings);
  }

  async #kill(index: number): Promise<void> {
    const node = this.#nodes[index];
    if (!node) return;
    this.#nodes[index] = null;
    const ownEnd = node.ownEnd();
    if (ownEnd !== null) this.troubles.push(`A server ended by itself: ${ownEnd}`);
    await node.kill();
    const errors = node
      .printed()
      .split("\n")
      .filter((line) => line.startsWith('{"level":50'));
    for (const line of errors) this.troubles.push(`A server logged: ${line.slice(0, 2000)}`);
  }
}
