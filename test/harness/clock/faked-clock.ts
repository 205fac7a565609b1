import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../../src/store/db.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { CannotRun } from "../frame/harness.ts";

/** Where Debian keeps the library that changes what a program reads from the clock. */
function findLibrary(): string {
  const folders = existsSync("/usr/lib") ? readdirSync("/usr/lib").map((name) => join("/usr/lib", name)) : [];
  const found = folders.map((folder) => join(folder, "faketime/libfaketimeMT.so.1")).find((path) => existsSync(path));
  if (found === undefined) throw new CannotRun("this machine lacks libfaketime");
  return found;
}

/** The wall clock of a server's machine, and of its database's: a region on PostgreSQL takes its time from there. */
export class FakedClock {
  /** For every program on this machine. */
  readonly settings: NodeJS.ProcessEnv;
  readonly #file: string;
  #database: Store | null = null;
  #offset = 0;
  /** What has passed at once, in `pass`. */
  #passed = 0;

  constructor(folder: string) {
    this.#file = join(folder, "clock");
    this.#write();
    this.settings = {
      LD_PRELOAD: findLibrary(),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      // As on a real machine: only the wall clock jumps.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }

  /** From now on, this database reads the same clock. Before anything is connected to it. */
  async alsoOf(databaseUrl: string): Promise<void> {
    this.#database = openPostgres(databaseUrl, 1);
    const name = new URL(databaseUrl).pathname.slice(1);
    await this.#database.query("create schema wrong_clock");
    await this.#inDatabase();
    // The database looks for functions there before it looks at its own.
    await this.#database.query(`alter database "${name}" set search_path = public, wrong_clock, pg_catalog`);
  }

  now(): Date {
    return new Date(Date.now() + this.#seconds * 1000);
  }

  /** The clock jumps to so many seconds from the right time. */
  async set(offset: number): Promise<void> {
    this.#offset = offset;
    this.#write();
    await this.#inDatabase();
  }

  /** So much time is over at once, without a jump that anybody would call wrong. */
  async pass(seconds: number): Promise<void> {
    this.#passed += seconds;
    this.#write();
    await this.#inDatabase();
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  get #seconds(): number {
    return this.#offset + this.#passed;
  }

  #write(): void {
    writeFileSync(this.#file, `${this.#seconds < 0 ? "" : "+"}${this.#seconds}\n`);
  }

  async #inDatabase(): Promise<void> {
    await this.#database?.query(
      `create or replace function wrong_clock.clock_timestamp() returns timestamptz language sql volatile
       as $$ select pg_catalog.clock_timestamp() + interval '${this.#seconds} seconds' $$`,
    );
  }
}
