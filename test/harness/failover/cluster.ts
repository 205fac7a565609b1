import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { findProgram } from "../frame/find-program.ts";
import { CannotRun } from "../frame/harness.ts";
import { fileFor, findPostgresPrograms, machineFiles, ownerOfData, variablesFor } from "./configuration.ts";
import { Machine } from "./machine.ts";

/** The programs of a cluster, for `needs`. */
export const clusterPrograms = ["etcd", "patroni", "haproxy", "pgbouncer"] as const;

const startSecondsMax = 120;
const password = "secret-of-the-harness";

/** Three database machines, and the HAProxy of a Signalbox machine. */
export class Cluster {
  readonly machines: readonly Machine[];
  /** How a node connects: every database machine in the address, or HAProxy with a PgBouncer behind it. */
  readonly urls: { hosts: string; proxy: string };
  readonly #folder: string;
  #haproxy: ChildProcess | null = null;

  constructor(folder: string) {
    const postgresPrograms = findPostgresPrograms();
    if (!postgresPrograms) throw new CannotRun("this machine lacks PostgreSQL of Debian's package");
    const programs = { postgres: postgresPrograms, etcd: "", patroni: "", pgbouncer: "" };
    for (const name of ["etcd", "patroni", "pgbouncer"] as const) {
      const found = findProgram(name);
      if (!found) throw new CannotRun(`this machine lacks ${name}`);
      programs[name] = found;
    }
    this.#folder = folder;
    const owner = ownerOfData();
    if (owner) chownSync(folder, owner.uid, owner.gid);
    // Another loopback network for each cluster: its ports are free.
    const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    this.machines = [1, 2, 3].map((number) => new Machine(machineFiles(network, number, folder), programs, owner));
    const account = `signalbox:${password}`;
    const hosts = this.machines.map(({ place }) => `${place.address}:5432`).join(",");
    this.urls = {
      hosts: `postgres://${account}@${hosts}/signalbox_us?target_session_attrs=read-write`,
      proxy: `postgres://${account}@${network}.1:6432/signalbox_us?reserve_database=signalbox_us_reserve`,
    };
  }

  async start(): Promise<void> {
    // The test run may be interrupted: no process stays behind.
    process.once("exit", this.#end);
    for (const machine of this.machines) machine.startEtcd();
    for (const machine of this.machines) machine.startPatroni();
    const primary = await this.within("a primary", () => this.primary());
    const users = await this.#createDatabase(primary);
    for (const machine of this.machines) machine.startPgBouncer(users);
    this.#startHaproxy();
    await this.whole();
  }

  async primary(): Promise<Machine | null> {
    const answers = await Promise.all(this.machines.map(async (each) => ((await each.isPrimary()) ? each : null)));
    return answers.find((each) => each !== null) ?? null;
  }

  async synchronousReplica(): Promise<Machine | null> {
    const answers = await Promise.all(this.machines.map(async (each) => ((await each.isSynchronous()) ? each : null)));
    return answers.find((each) => each !== null) ?? null;
  }

  /** One primary, two replicas that follow it, one of them synchronous. */
  async whole(): Promise<void> {
    await this.within("two replicas", async () => {
      const states = await Promise.all(this.machines.map((each) => each.state()));
      const timelines = new Set(states.map((each) => each?.timeline));
      const areRunning = states.every((each) => each?.state === "running" || each?.state === "streaming");
      return areRunning && timelines.size === 1 && (await this.primary()) && (await this.synchronousReplica());
    });
  }

  stop(): void {
    process.off("exit", this.#end);
    this.#end();
  }

  readonly #end = (): void => {
    this.#haproxy?.kill("SIGKILL");
    for (const machine of this.machines) machine.die();
  };

  /** As the README tells an operator to. Returns the text of PgBouncer's userlist.txt. */
  async #createDatabase(primary: Machine): Promise<string> {
    const sql = postgres(this.superuserUrl(primary), { max: 1 });
    try {
      await sql.unsafe(`create role signalbox login password '${password}'`);
      await sql.unsafe("create database signalbox_us owner signalbox");
      const [row] = await sql.unsafe<{ rolpassword: string }[]>(
        "select rolpassword from pg_authid where rolname = 'signalbox'",
      );
      return `"signalbox" "${row?.rolpassword}"\n`;
    } finally {
      await sql.end();
    }
  }

  #startHaproxy(): void {
    const [machine] = this.machines;
    const program = findProgram("haproxy");
    if (!machine || !program) throw new CannotRun("this machine lacks haproxy");
    const file = join(this.#folder, "haproxy.cfg");
    writeFileSync(file, fileFor("haproxy.cfg", machine.place, ""));
    chmodSync(file, 0o644);
    this.#haproxy = spawn(program, ["-db", "-f", file], { stdio: "ignore" });
  }

  superuserUrl({ place }: Machine): string {
    const { PATRONI_SUPERUSER_PASSWORD = "" } = variablesFor("patroni.env", place, "");
    return `postgres://postgres:${PATRONI_SUPERUSER_PASSWORD}@${place.address}:5432/postgres`;
  }

  /** Seconds until a commit on this primary is confirmed by a synchronous replica: no node can write before. */
  async untilCommitted(primary: Machine): Promise<number> {
    const startedAt = performance.now();
    const sql = postgres(this.superuserUrl(primary), { max: 1, connect_timeout: 5, onnotice: () => {} });
    await this.within("a commit", () =>
      sql.unsafe("select pg_logical_emit_message(true, 'harness', '')").catch(() => null),
    );
    await sql.end({ timeout: 0 });
    return (performance.now() - startedAt) / 1000;
  }

  /** As `patronictl switchover` does. */
  async switchover({ place }: Machine): Promise<void> {
    const { PATRONI_RESTAPI_USERNAME: name, PATRONI_RESTAPI_PASSWORD: secret } = variablesFor("patroni.env", place, "");
    const answer = await fetch(`http://${place.address}:8008/switchover`, {
      method: "POST",
      body: JSON.stringify({ leader: place.name }),
      headers: { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}` },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Patroni refused to switch over: ${answer.status} ${text}`);
  }

  /** Looks until there is one. */
  async within<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
    const until = performance.now() + startSecondsMax * 1000;
    for (;;) {
      const found = await look();
      if (found) return found;
      if (performance.now() > until) {
        const logs = this.machines.map((each) => `${each.place.name}:\n${each.lastWords("patroni")}`).join("\n");
        throw new Error(`The cluster lacks ${what} after ${startSecondsMax} s.\n${logs}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
