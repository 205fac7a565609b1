import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileFor, type MachineFiles, variablesFor } from "./configuration.ts";
import { signalAll, signalTree, withDescendants } from "./processes.ts";

export interface Programs {
  postgres: string;
  etcd: string;
  patroni: string;
  pgbouncer: string;
}

/** The answer of Patroni's REST API about its server. */
export interface MemberState {
  state: string;
  role: string;
  timeline?: number;
  sync_standby?: boolean;
}

type Part = "etcd" | "patroni" | "pgbouncer";

/** A database machine: etcd, Patroni with its PostgreSQL, PgBouncer. It can die and freeze as a whole. */
export class Machine {
  readonly place: MachineFiles;
  readonly #programs: Programs;
  readonly #owner: { uid: number; gid: number } | null;
  readonly #running = new Map<Part, ChildProcess>();

  constructor(place: MachineFiles, programs: Programs, owner: { uid: number; gid: number } | null) {
    this.place = place;
    this.#programs = programs;
    this.#owner = owner;
    for (const folder of [place.folder, join(place.folder, "lib"), join(place.folder, "run")]) {
      mkdirSync(folder, { recursive: true });
      if (owner) chownSync(folder, owner.uid, owner.gid);
    }
    this.#write("patroni.yml");
    this.#write("pgbouncer.ini");
  }

  startEtcd(): void {
    this.#start("etcd", this.#programs.etcd, [], {
      ...variablesFor("etcd.env", this.place, this.#programs.postgres),
      ETCD_DATA_DIR: join(this.place.folder, "etcd"),
      // Debian's etcd refuses to start on some processors without a flag that says we know.
      ETCD_UNSUPPORTED_ARCH: process.arch,
    });
  }

  startPatroni(): void {
    const variables = variablesFor("patroni.env", this.place, this.#programs.postgres);
    this.#start("patroni", this.#programs.patroni, [join(this.place.folder, "patroni.yml")], variables);
  }

  /** `users` is the text of userlist.txt. */
  startPgBouncer(users?: string): void {
    if (users !== undefined) this.#keep("userlist.txt", users);
    this.#start("pgbouncer", this.#programs.pgbouncer, [join(this.place.folder, "pgbouncer.ini")]);
  }

  /** After it has died. */
  startAgain(): void {
    this.startEtcd();
    this.startPatroni();
    this.startPgBouncer();
  }

  /** What Patroni says of its server; null while it says nothing. */
  async state(): Promise<MemberState | null> {
    const answer = await this.#ask("/patroni");
    return answer === null ? null : (JSON.parse(answer.text) as MemberState);
  }

  /** Patroni answers 200 here only while it holds the lock. */
  async isPrimary(): Promise<boolean> {
    return (await this.#ask("/primary"))?.status === 200;
  }

  /** Whether the server of this machine would be promoted without loss. */
  async isSynchronous(): Promise<boolean> {
    return (await this.#ask("/synchronous"))?.status === 200;
  }

  /** Everything ends at once, as when the power fails. */
  die(): void {
    const pids = withDescendants(this.#roots());
    signalTree(this.#roots(), "SIGKILL");
    signalAll(pids, "SIGKILL");
    this.#running.clear();
  }

  /** PostgreSQL alone ends at once. */
  crashPostgres(): void {
    signalTree(this.#postmaster(), "SIGKILL");
  }

  /** Everything stands still, as on a machine that hangs. */
  freeze(): void {
    signalTree(this.#roots(), "SIGSTOP");
  }

  /** PostgreSQL and PgBouncer go on while Patroni still stands: nobody tells them that they are not in charge any more. */
  thawDatabase(): void {
    const bouncer = this.#running.get("pgbouncer")?.pid;
    signalTree([...this.#postmaster(), ...(bouncer === undefined ? [] : [bouncer])], "SIGCONT");
  }

  thaw(): void {
    signalTree(this.#roots(), "SIGCONT");
  }

  /** The last lines of a program's log, for a person. */
  lastWords(part: Part, lines = 15): string {
    const file = join(this.place.folder, `${part}.log`);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(-lines).join("\n") : "";
  }

  #roots(): number[] {
    return [...this.#running.values()]
      .flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
      .concat(this.#postmaster());
  }

  /** Patroni starts it in a session of its own, and it outlives Patroni. */
  #postmaster(): number[] {
    const file = join(this.place.folder, "lib/15/signalbox/postmaster.pid");
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : Number.NaN;
    // The file of a server that has died names a process of somebody else by now.
    const name = Number.isInteger(pid) ? commandOf(pid) : "";
    return name.includes(this.place.folder) ? [pid] : [];
  }

  async #ask(path: string): Promise<{ status: number; text: string } | null> {
    try {
      const answer = await fetch(`http://${this.place.address}:8008${path}`, { signal: AbortSignal.timeout(1_000) });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return null;
    }
  }

  #start(part: Part, program: string, args: string[], variables: Record<string, string> = {}): void {
    const log = createWriteStream(join(this.place.folder, `${part}.log`), { flags: "a" });
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, LANG: "C.UTF-8", ...variables },
      cwd: this.place.folder,
      ...this.#owner,
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    this.#running.set(part, child);
    void once(child, "exit").then(() => {
      if (this.#running.get(part) === child) this.#running.delete(part);
    });
  }

  #write(name: string): void {
    this.#keep(name, fileFor(name, this.place, this.#programs.postgres));
  }

  #keep(name: string, text: string): void {
    const file = join(this.place.folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    if (this.#owner) chownSync(file, this.#owner.uid, this.#owner.gid);
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
