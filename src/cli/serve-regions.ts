import { createLogs } from "../kernel/log.ts";
import { readableLines } from "../kernel/readable-log.ts";
import { gatherLines } from "../kernel/standard-output.ts";
import { type Config, type Flags, readConfig, sandboxPortOf } from "../start/config.ts";
import { firstRunFile, readFirstRun } from "../start/first-run.ts";
import { storeName } from "../start/open-store.ts";
import { SandboxesRefused, type SandboxProcess, startOwnSandboxes } from "../start/own-sandboxes.ts";
import { catchUnhandled } from "../start/process/catch-unhandled.ts";
import { keepCompiledCode } from "../start/process/keep-compiled-code.ts";
import { releaseMemoryWhenIdle } from "../start/process/release-memory.ts";
import { parentToWatch, stopWithParent } from "../start/process/stop-with-parent.ts";
import { CommandRefused } from "./as-operator.ts";

const stopAnywaySeconds = 30;

export type ServeFlags = Omit<Flags, "firstRun"> & { firstRun?: true };

/** Serves until the process is stopped. The sandboxes' process may be under way already. */
export async function serveRegions(flags: ServeFlags, underWay?: SandboxProcess): Promise<void> {
  const parent = parentToWatch(process.env);
  keepCompiledCode();
  const config = readConfig(process.env, { ...flags, firstRun: flags.firstRun ? "on" : undefined });
  const output = gatherLines(1);
  const isTerminal = process.stdout.isTTY === true;
  const isText = config.logFormat === "text" || (config.logFormat === "auto" && isTerminal);
  const logs = createLogs(
    config.logLevel,
    isText ? readableLines(output, isTerminal && !process.env.NO_COLOR) : output,
  );
  const { log } = logs;
  const sandboxes = config.sandboxes === "own" ? startOwnSandboxes(sandboxPortOf(config.port), log, underWay) : null;
  sandboxes?.catch(() => {});
  // Loaded once the sandboxes know their ports.
  const { startSignalbox } = await import("../main.ts");
  const running = await startSignalbox(config, logs, sandboxes).catch((error) => {
    throw explained(error);
  });
  let stopping = false;
  const end = (code: number): never => {
    output.flushSync();
    process.exit(code);
  };
  const stop = async (why: Record<string, string>, code: number) => {
    stopping = true;
    log.info(why, "stopping: finishing what was accepted");
    await running.stop();
    log.info("stopped");
    end(code);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // A second signal ends the process at once.
    process.on(signal, () => (stopping ? end(1) : void stop({ signal }, 0)));
  }
  catchUnhandled({
    log,
    count: running.unforeseen,
    stop(code) {
      if (stopping) return;
      // A failure may also prevent a clean stop.
      setTimeout(end, stopAnywaySeconds * 1000, code).unref();
      stop({ signal: "none" }, code).catch(() => end(code));
    },
  });
  stopWithParent(parent, () => {
    if (!stopping)
      stop({ signal: "none", reason: "the process that started the server is gone" }, 0).catch(() => end(1));
  });
  releaseMemoryWhenIdle();
  // A supervisor may stop the server once it reads that it is ready, so the handlers come first.
  console.log(greeting(config, performance.now() / 1000));
}

/** Where to go next, and a call that works when pasted. The seconds count from the start of the process. */
function greeting(config: Config, seconds: number): string {
  const lines = [`Signalbox is ready (${seconds.toFixed(1)} s).`, ""];
  const first = config.regions[0];
  const pages = first && config.baseUrls[first].replace("127.0.0.1", "localhost");
  if (pages) lines.push(`  console     ${pages}`);
  for (const region of config.regions)
    lines.push(`  region ${region}   ${config.baseUrls[region]}   ${storeName(config, region)}`);
  if (pages) lines.push(`  reference   ${pages}/latest/documentation`);
  const { sandboxes } = config.firstRun ? readFirstRun(config.home) : {};
  for (const [system, url] of Object.entries(sandboxes ?? {})) lines.push(`  sandbox     ${url}   ${system}`);
  const entry = config.firstRun && first ? readFirstRun(config.home).regions[first] : undefined;
  if (entry) {
    lines.push(
      "",
      `You are ${entry.email}, owner of the first organization in each region. Sign in at`,
      "",
      `  ${entry.base_url.replace("127.0.0.1", "localhost")}/sign-in`,
      ...(entry.password === undefined ? [] : [`  ${entry.email}   ${entry.password}`]),
      "",
      "or paste this:",
      "",
      `  curl -s -w '\\n' ${entry.base_url}/latest/auth/info -H 'Content-Type: application/json' \\`,
      `    -H 'Authorization: Bearer :${entry.api_key}' -d '{}'`,
      "",
      `Ids and keys of all regions are in ${firstRunFile(config.home)}. Stop with Ctrl-C.`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function explained(error: unknown): unknown {
  if (error instanceof SandboxesRefused) return new CommandRefused(error.message);
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "EADDRINUSE") {
    return new CommandRefused(
      `${error.message.replace("listen EADDRINUSE: ", "")}. Another program, perhaps another Signalbox, listens there: stop it, or choose other ports with --port.`,
    );
  }
  if (error.code === "ENOTFOUND" || error.code === "EADDRNOTAVAIL") {
    return new CommandRefused(`SIGNALBOX_HOST (or --host) cannot be used: ${error.message}.`);
  }
  return error.code === "EACCES" ? new CommandRefused(`Not allowed: ${error.message}.`) : error;
}
