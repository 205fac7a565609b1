import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "./bundle.ts";

/** The command as it is installed. */
export const installedProgram = fileURLToPath(new URL("../../../src/cli/signalbox.ts", import.meta.url));
const bundled = await bundleProgram(installedProgram);
// Commands of one test run share compiled code: it halves their start time.
const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/signalbox-tests", import.meta.url));

/** The maximum of any wait here; reaching it is a failure. */
const patienceMilliseconds = 100_000;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The real command in its own process, with only the given settings. */
export async function signalbox(
  args: string[],
  environment: Record<string, string> = {},
  program?: string,
): Promise<Finished> {
  const running = startCommand(args, environment, program);
  return running.finished;
}

export interface RunningCommand {
  finished: Promise<Finished>;
  /** Resolves once the output matches; fails if the process ends before. */
  printed(pattern: RegExp): Promise<string>;
  /** All output so far, of both streams. */
  output(): string;
  signal(name: NodeJS.Signals): void;
}

export function startCommand(
  args: string[],
  environment: Record<string, string> = {},
  program = bundled,
): RunningCommand {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...environment },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    stderr += chunk;
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    const giveUp = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`signalbox ${args.join(" ")} did not end; it printed:\n${stdout}${stderr}`));
    }, patienceMilliseconds);
    child.once("close", (code) => {
      clearTimeout(giveUp);
      resolve({ code, stdout, stderr });
    });
  });
  // Callers that await it get the failure; others must not cause an unhandled rejection.
  finished.catch(() => {});
  const output = () => stdout + stderr;
  return {
    finished,
    output,
    printed: (pattern) => whenPrinted(child, pattern, output),
    signal: (name) => void child.kill(name),
  };
}

function whenPrinted(child: ChildProcess, pattern: RegExp, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (pattern.test(output())) resolve(output());
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("close", () => reject(new Error(`It ended before it printed ${pattern}:\n${output()}`)));
    look();
  });
}

/** POST /latest/<operation> over the network, like any program. */
export async function post(base: string, operation: string, authorization: string, body: unknown = {}) {
  const response = await fetch(`${base}/latest/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
