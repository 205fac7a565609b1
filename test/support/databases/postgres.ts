import { execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../processes/free-ports.ts";
import { installPackage } from "../runner/debian-package.ts";

export interface TestPostgres {
  url: string;
  /** Ends the server at once, with all connections, like `pg_ctl stop -m fast`. Its data stays. */
  shutDown(): Promise<void>;
  /** On the same data and port. Resolves when it accepts connections. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL in a temporary folder on a free port, independent of the machine. Returns a sentence with the
 * reason if there is none and none can be installed. The settings replace those of the tests, such as `fsync=on`.
 */
export async function startPostgres(
  network?: Network,
  settings: readonly string[] = [],
): Promise<TestPostgres | string> {
  const programs = findPrograms() ?? installPrograms();
  if (!programs) return "no PostgreSQL was found (initdb), and Debian's package could not be installed";
  const fill = (run: RunProgram, data: string) => {
    initialize(run, data);
    if (network) appendFileSync(join(data, "pg_hba.conf"), `host all all ${network.from}/32 trust\n`);
  };
  return startIn(programs, fill, network ? ["127.0.0.1", network.at] : undefined, settings);
}

/** Another machine that may connect, and our address that it knows. */
export interface Network {
  at: string;
  from: string;
}

export interface TestStandby extends TestPostgres {
  /** It accepts writes from now on. */
  promote(): void;
}

/** A standby that follows the primary at this address by streaming replication. */
export async function startStandby(primaryUrl: string): Promise<TestStandby> {
  const programs = findPrograms();
  if (!programs) throw new Error("There is a primary without programs for a standby.");
  let promote = (): void => {};
  const standby = await startIn(programs, (run, data) => {
    run("pg_basebackup", ["-d", primaryUrl, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"]);
    promote = () => run("pg_ctl", ["promote", "-D", data, "-w"]);
  });
  return { ...standby, promote: () => promote() };
}

/** Its data is as short-lived as the tests: nothing is written for the end of the machine's power, nor tidied for later. Connections of finished tests stay open. */
const serverSettings = ["max_connections=500", "fsync=off", "full_page_writes=off", "autovacuum=off", "jit=off"];

export type RunProgram = (name: string, options: string[]) => void;

/** A data folder of the usual kind, for `startIn` to fill. */
export const initialize = (run: RunProgram, data: string): void =>
  run("initdb", ["-D", data, "-U", "signalbox", "-A", "trust", "-E", "UTF8", "--no-sync"]);

/** A server in a new folder, which `fill` fills with data. */
export async function startIn(
  programs: string,
  fill: (run: RunProgram, data: string) => void,
  addresses: readonly string[] = ["127.0.0.1"],
  settings: readonly string[] = [],
): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-postgres-"));
  // PostgreSQL refuses to run as root: it gets an unprivileged user, who owns the folder.
  const user = process.getuid?.() === 0 ? unprivilegedUser() : null;
  if (user) chownSync(folder, user.uid, user.gid);
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  const data = join(folder, "data");
  fill((name, options) => void execFileSync(join(programs, name), options, { stdio: "ignore", ...identity }), data);
  const port = await freePort();
  const options = ["-D", data, "-p", String(port), "-k", folder, "-h", addresses.join(",")];
  for (const setting of [...serverSettings, ...settings]) options.push("-c", setting);
  const launch = () => launchServer(join(programs, "postgres"), options, identity);
  let server = await launch();
  return {
    url: `postgres://signalbox@127.0.0.1:${port}/postgres`,
    shutDown: () => server.shutDown(),
    async startAgain() {
      server = await launch();
    },
    async stop() {
      await server.shutDown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launchServer(
  program: string,
  options: string[],
  identity: { uid?: number; gid?: number },
): Promise<Pick<TestPostgres, "shutDown">> {
  const server = spawn(program, options, { stdio: ["ignore", "ignore", "pipe"], ...identity });
  // The test run may be interrupted: no server stays behind.
  const end = () => void server.kill("SIGQUIT");
  process.once("exit", end);
  server.once("exit", () => process.off("exit", end));
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  await readyLine(server.stderr);
  return {
    async shutDown() {
      server.kill("SIGINT");
      await ended;
    },
  };
}

export type TestPooler = Pick<TestPostgres, "url" | "stop">;

/**
 * A PgBouncer in transaction mode in front of the server at this address, or the reason why there is none. The settings
 * replace those of the tests, such as `pool_mode = session`.
 */
export async function startPgBouncer(
  serverUrl: string,
  replaced: readonly string[] = [],
): Promise<TestPooler | string> {
  if (!findPgBouncer()) installPackage("pgbouncer");
  const program = findPgBouncer();
  if (!program) return "no PgBouncer was found, and Debian's package could not be installed";
  const server = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), "signalbox-pgbouncer-"));
  const user = process.getuid?.() === 0 ? unprivilegedUser() : null;
  if (user) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const to = `host=${server.hostname} port=${server.port} user=${server.username}`;
  const database = server.pathname.slice(1);
  const settings = [
    "[databases]",
    // As deploy/high-availability/pgbouncer.ini has it.
    `${database}_reserve = ${to} dbname=${database} pool_size=2`,
    `* = ${to}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 3",
    "unix_socket_dir =",
    ...replaced,
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, settings.join("\n"));
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  const pooler = spawn(program, [file], { stdio: ["ignore", "ignore", "pipe"], ...identity });
  const end = () => void pooler.kill("SIGKILL");
  process.once("exit", end);
  await readyLine(pooler.stderr, "process up");
  const ended = new Promise<void>((resolve) => pooler.once("exit", () => resolve()));
  return {
    url: `postgres://${server.username}@127.0.0.1:${port}${server.pathname}`,
    async stop() {
      process.off("exit", end);
      pooler.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const findPgBouncer = (): string | undefined =>
  ["/usr/sbin", ...(process.env.PATH ?? "").split(":")]
    .map((folder) => join(folder, "pgbouncer"))
    .find((path) => existsSync(path));

export function findPrograms(): string | null {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres"))) ?? null;
}

function installPrograms(): string | null {
  installPackage("postgresql");
  return findPrograms();
}

export function unprivilegedUser(): { uid: number; gid: number } {
  const idOf = (flag: string, name: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }).trim());
  const name = spawnSync("id", ["postgres"]).status === 0 ? "postgres" : "nobody";
  return { uid: idOf("-u", name), gid: idOf("-g", name) };
}

function readyLine(output: NodeJS.ReadableStream, sign = "ready to accept"): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    output.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(sign)) resolve();
    });
    output.once("end", () => reject(new Error(`PostgreSQL did not start:\n${text}`)));
  });
}
