import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { asking, type Child, spawnOnCore, stopProcess } from "../load/child.ts";
import type { Side } from "../load/cores.ts";
import type { Target } from "./target.ts";

const checkout = new URL("../..", import.meta.url).pathname;

export interface Signalbox extends Target {
  /** Answered by what `nodeOptions` load before the program. */
  ask: Child["ask"];
}

/**
 * The product as it is delivered, one region, everything on. Limits are counted on every call, as always; they are only
 * set where no load reaches them. The log is written to a file, a line for each request. `from` is the checkout to start.
 */
export async function startSignalbox(
  home: string,
  nodeOptions: string[] = [],
  settings: Record<string, string> = {},
  from = checkout,
  side: Side = "server",
): Promise<Signalbox> {
  mkdirSync(home, { recursive: true });
  const port = await freePort();
  const log = openSync(join(home, "server.log"), "w");
  const program = join(from, "src/cli/signalbox.ts");
  const command = [process.execPath, ...optionsOf(from), ...nodeOptions, program, "serve", "--first-run"];
  const flags = ["--regions", "us", "--port", String(port), "--home", home];
  const child = spawnOnCore(side, [...command, ...flags], {
    stdio: ["ignore", log, "inherit", "ipc"],
    env: {
      ...withoutSettings(process.env),
      SIGNALBOX_RATE_LIMITS: "default=1000000000,write=1000000000,run=1000000000,invite=1000000000",
      SIGNALBOX_LOG_LEVEL: "info",
      // As `npm start` sets it.
      MALLOC_MMAP_THRESHOLD_: "131072",
      ...settings,
    },
  });
  closeSync(log);
  await untilReady(port, () => child.exitCode);
  const { ask } = asking(child, "signalbox");
  return { name: "signalbox", port, pid: child.pid ?? 0, ask, stop: () => stopProcess(child) };
}

/** How large V8's young generation may be, as that checkout's `npm start` says. */
function optionsOf(from: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as { scripts: { start: string } };
  return scripts.start.match(/--max-semi-space-size=\d+/) ?? [];
}

/** The settings of the person who runs the bench are left out. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("SIGNALBOX_")));

async function untilReady(port: number, exitCode: () => number | null): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (exitCode() !== null) throw new Error(`signalbox ended with ${exitCode()} before it was ready.`);
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("signalbox was not ready after 30 s.");
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      server.close(() => resolve(port));
    });
  });
}
