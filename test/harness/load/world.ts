import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { verifyChain } from "../../../src/access/audit/verify-chain.ts";
import type { Store } from "../../../src/store/db.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { openSqlite } from "../../../src/store/sqlite/sqlite.ts";
import { firstRunOf, type ServerProcess, startServer } from "../../support/processes/server-process.ts";
import type { HarnessOptions } from "../frame/harness.ts";

/** The data of one harness, and the server that uses it, whichever life it is in. */
export class World {
  readonly home: string;
  readonly databaseUrl: string | null;
  /** From the start of the program to its first answer, for each start after the first. */
  readonly startSeconds: number[] = [];
  readonly #settings: NodeJS.ProcessEnv;
  #server: ServerProcess | null = null;

  constructor(home: string, databaseUrl: string | null, settings: NodeJS.ProcessEnv = {}) {
    this.home = home;
    this.databaseUrl = databaseUrl;
    this.#settings = { ...settings, ...(databaseUrl !== null && { SIGNALBOX_DATABASE_URL_US: databaseUrl }) };
  }

  static async of({ folder, store, newDatabase }: HarnessOptions, settings: NodeJS.ProcessEnv = {}): Promise<World> {
    const home = join(folder, "data");
    mkdirSync(home, { recursive: true });
    return new World(home, store === "postgres" ? await newDatabase() : null, settings);
  }

  get file(): string {
    return join(this.home, "us.sqlite");
  }

  get server(): ServerProcess {
    if (this.#server === null) throw new Error("The server was not started.");
    return this.#server;
  }

  /** Null until the first start has ended. */
  get port(): number {
    return this.server.port;
  }

  get first() {
    return firstRunOf(this.home);
  }

  /** `loadedBefore` is a module that the server loads first, and that answers what it is asked. */
  async start(more: NodeJS.ProcessEnv = {}, loadedBefore?: string): Promise<ServerProcess> {
    const isFirst = this.#server === null;
    const startedAt = performance.now();
    this.#server = await startServer(this.home, { ...this.#settings, ...more }, loadedBefore);
    if (!isFirst) this.startSeconds.push((performance.now() - startedAt) / 1000);
    return this.#server;
  }

  /** A supervisor's part: starts it again if it has ended by itself. Returns what it printed, or null if it runs. */
  async startIfEnded(): Promise<string | null> {
    const printed = this.server.ownEnd();
    if (printed !== null) await this.start();
    return printed;
  }

  async kill(): Promise<void> {
    await this.#server?.kill();
  }

  /** Opens the store next to the server, or while there is none. */
  async open<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = this.databaseUrl === null ? openSqlite(this.file) : openPostgres(this.databaseUrl, 2);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** What is wrong with the store itself: its structure, and the audit chain. */
  async flaws(): Promise<string[]> {
    return this.open(async (store) => {
      const flaws: string[] = [];
      const verdict = await verifyChain(store, this.first.organization_id);
      if (!verdict.valid) flaws.push(`The audit chain is broken at row ${verdict.broken_at}.`);
      if (store.kind === "postgres") return flaws;
      const [check] = await store.query<{ integrity_check: string }>("pragma integrity_check(1)");
      if (check?.integrity_check !== "ok") flaws.push(`integrity_check: ${check?.integrity_check}`);
      const dangling = await store.query("pragma foreign_key_check");
      if (dangling.length > 0) flaws.push(`foreign_key_check: ${JSON.stringify(dangling[0])}`);
      return flaws;
    });
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
