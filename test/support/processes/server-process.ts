import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readFirstRun } from "../../../src/start/first-run/first-run.ts";
import { bundleProgram } from "./bundle.ts";
import { freePort } from "./free-ports.ts";

const repository = new URL("../../..", import.meta.url).pathname;
// Programs of one test run share compiled code: it halves their start time.
const compileCache = new URL("../../../node_modules/.cache/signalbox-tests", import.meta.url).pathname;

/** The real program in its own process, serving the region us, or those of SIGNALBOX_REGIONS, from a data folder. */
export interface ServerProcess {
  port: number;
  pid: number;
  /** Kills it without warning, and waits for its exit. */
  kill(): Promise<void>;
  /** Stops it, like a machine that swaps, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Asks it to stop, like a service manager. Returns its exit code. */
  stop(): Promise<number | null>;
  /** Its output, if it has ended by itself; null while it runs. */
  ownEnd(): string | null;
  /** All output so far. */
  printed(): string;
  /** Sends a message to the module that was loaded before the program, and waits for its reply. */
  ask(message: string): Promise<unknown>;
}

const startsMax = 5;

/** As every launcher starts the server: src/cli/launchers.test.ts. */
export const youngGeneration = "--max-semi-space-size=8";

/**
 * `root` is the folder of the program. Each start uses a free port; if another process takes it first, the start is
 * retried.
 */
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

/** A server that has only loaded its code: it starts on request, in a fraction of the time. */
export interface LoadedServer {
  start(): Promise<ServerProcess>;
  /** It is not needed any more. */
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
      // A message sent before it has loaded waits.
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

const serveAt = (port: number, home: string, regions = "us"): string[] => [
  ...["serve", "--first-run", "--regions", regions],
  ...["--port", String(port), "--home", home],
];

const startServerAt = async (
  port: number,
  home: string,
  settings: NodeJS.ProcessEnv,
  loadedBefore?: string,
  root = repository,
): Promise<ServerProcess> =>
  whenReady(await spawnProgram(serveAt(port, home, settings.SIGNALBOX_REGIONS), settings, loadedBefore, root), port);

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

/** What the first run created, for callers. */
export function firstRunOf(home: string) {
  const entry = readFirstRun(home).regions.us;
  if (!entry) throw new Error(`There is no first run in ${home}.`);
  return entry;
}

/** Runs one command of the program to its end. Where it failed, its output has what it wrote about that, too. */
export async function runProgram(
  args: string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string }> {
  const child = await spawnProgram(args, settings);
  let [output, notes] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    notes += chunk.toString();
  });
  const [code] = await once(child, "close");
  return { code: code as number | null, output: code === 0 ? output : output + notes };
}

/** Bundled, unless it is another tree's, or a module is loaded before it, which looks at its modules. */
async function spawnProgram(
  args: string[],
  settings: NodeJS.ProcessEnv,
  loadedBefore?: string,
  root = repository,
): Promise<ChildProcess> {
  const source = join(root, "src/cli/signalbox.ts");
  const program = root === repository && loadedBefore === undefined ? await bundleProgram(source) : source;
  const before = loadedBefore === undefined ? [] : ["--import", loadedBefore];
  return spawnNode([...before, program, ...args], settings, loadedBefore !== undefined);
}

/** Variables of the tests themselves, such as SIGNALBOX_MODEL_SEED, are no settings, and a server would refuse them. */
const withoutOwnNames = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^SIGNALBOX_(MODEL|HOSTILE)(_SEED|_RUNS)?$/.test(name)),
  );

function spawnNode(args: string[], settings: NodeJS.ProcessEnv, isSpokenTo: boolean): ChildProcess {
  const child = spawn(process.execPath, [youngGeneration, ...args], {
    stdio: ["ignore", "pipe", "pipe", ...(isSpokenTo ? ["ipc" as const] : [])],
    env: {
      ...withoutOwnNames(process.env),
      NODE_COMPILE_CACHE: compileCache,
      SIGNALBOX_RATE_LIMITS: "off",
      SIGNALBOX_SANDBOXES: "off",
      SIGNALBOX_LOG_LEVEL: "error",
      ...settings,
    },
  });
  // The test run may be interrupted: no process stays behind.
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  return child;
}
