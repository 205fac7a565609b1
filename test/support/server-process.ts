import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readFirstRun } from "../../src/start/first-run.ts";
import { freePort } from "./postgres.ts";

const repository = new URL("../..", import.meta.url).pathname;
// Programs of one test run share what was compiled: it halves the time that each needs to start.
const compileCache = new URL("../../node_modules/.cache/signalbox-tests", import.meta.url).pathname;

/** The real program in a process of its own, serving the region us from a data folder. */
export interface ServerProcess {
  port: number;
  pid: number;
  /** Ends it without a warning, and waits until it is gone. */
  kill(): Promise<void>;
  /** Stands still, as a machine that swaps or a process that is moved does, until it is told to go on. */
  freeze(): void;
  thaw(): void;
  /** Asks it to stop, as a service manager does. Answers its exit code. */
  stop(): Promise<number | null>;
  /** What it printed, where it has ended without being asked to; null while it runs. */
  ownEnd(): string | null;
  /** All that it printed so far. */
  printed(): string;
  /** Says something to the module that was loaded before the program, and waits for its answer. */
  ask(message: string): Promise<unknown>;
}

const startsMax = 5;

/** `root` is the folder of the program. Each start has a port of its own that was free. Whoever takes it before the server does is given way to. */
export async function startServer(
  home: string,
  settings: NodeJS.ProcessEnv = {},
  loadedBefore?: string,
  root = repository,
): Promise<ServerProcess> {
  for (let start = 1; ; start++) {
    try {
      return await startServerAt(await freePort(), home, settings, loadedBefore, root);
    } catch (error) {
      if (start === startsMax || !String(error).includes("address already in use")) throw error;
    }
  }
}

/** A server that has loaded its code and done nothing else: it starts when it is told to, in a fraction of the time. */
export interface LoadedServer {
  start(): Promise<ServerProcess>;
  /** Nobody needs it any more. */
  drop(): void;
}

export const loadedServer = new URL("loaded-server.ts", import.meta.url).pathname;

export async function loadServer(
  home: string,
  settings: NodeJS.ProcessEnv,
  loaded: string = loadedServer,
): Promise<LoadedServer> {
  const port = await freePort();
  const child = spawnNode([loaded, ...serveAt(port, home)], settings, true);
  return {
    async start() {
      if (child.exitCode !== null) return startServer(home, settings);
      // Before it has loaded, it is told all the same: the message waits.
      child.send("begin", () => {});
      try {
        return await whenReady(child, port);
      } catch (error) {
        if (!String(error).includes("address already in use")) throw error;
        return startServer(home, settings);
      }
    },
    drop: () => void child.kill("SIGKILL"),
  };
}

const serveAt = (port: number, home: string): string[] => [
  ...["serve", "--first-run", "--regions", "us"],
  ...["--port", String(port), "--home", home],
];

const startServerAt = (
  port: number,
  home: string,
  settings: NodeJS.ProcessEnv,
  loadedBefore?: string,
  root = repository,
): Promise<ServerProcess> => whenReady(spawnProgram(serveAt(port, home), settings, loadedBefore, root), port);

async function whenReady(child: ChildProcess, port: number): Promise<ServerProcess> {
  let output = "";
  const ended = once(child, "exit");
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("Signalbox is ready")) resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", reject);
    child.once("close", () => reject(new Error(`The server ended before it was ready:\n${output}`)));
  });
  await ready;
  return {
    port,
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      return code as number | null;
    },
    ownEnd: () => (child.exitCode === null && child.signalCode === null ? null : output),
    printed: () => output,
    async ask(message) {
      const answer = once(child, "message");
      child.send(message);
      const [said] = await Promise.race([answer, ended.then(() => Promise.reject(new Error(`It ended:\n${output}`)))]);
      return said;
    },
  };
}

/** What the first run made: whoever calls has these. */
export function firstRunOf(home: string) {
  const entry = readFirstRun(home).regions.us;
  if (!entry) throw new Error(`There is no first run in ${home}.`);
  return entry;
}

/** Runs one command of the program to its end. */
export async function runProgram(args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawnProgram(args, {});
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = await once(child, "close");
  return { code: code as number | null, output };
}

function spawnProgram(
  args: string[],
  settings: NodeJS.ProcessEnv,
  loadedBefore?: string,
  root = repository,
): ChildProcess {
  const program = join(root, "src/cli/signalbox.ts");
  const before = loadedBefore === undefined ? [] : ["--import", loadedBefore];
  return spawnNode([...before, program, ...args], settings, loadedBefore !== undefined);
}

function spawnNode(args: string[], settings: NodeJS.ProcessEnv, isSpokenTo: boolean): ChildProcess {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe", ...(isSpokenTo ? ["ipc" as const] : [])],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compileCache,
      SIGNALBOX_RATE_LIMITS: "off",
      SIGNALBOX_SANDBOXES: "off",
      SIGNALBOX_LOG_LEVEL: "error",
      ...settings,
    },
  });
  // Whoever started it may be stopped in the middle: nothing stays behind.
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  return child;
}
