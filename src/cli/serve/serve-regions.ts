import cluster from "node:cluster";
import { createLogs } from "../../kernel/log.ts";
import { readableLines } from "../../kernel/readable-log.ts";
import { gatherLines } from "../../kernel/standard-output.ts";
import { joinProcesses } from "../../start/cluster/member.ts";
import { shareOfSettings } from "../../start/cluster/share-of-caps.ts";
import { keepCompiledCode } from "../../start/process/keep-compiled-code.ts";
import { releaseMemoryWhenIdle } from "../../start/process/release-memory.ts";
import { parentToWatch } from "../../start/process/stop-with-parent.ts";
import { type SandboxProcess, startOwnSandboxes } from "../../start/sandboxes/start-sandboxes.ts";
import { type Config, type Flags, readConfig, sandboxPortOf } from "../../start/settings/config.ts";
import { explained } from "./explain-failure.ts";
import { greeting } from "./greeting.ts";
import { serveByProcesses } from "./serve-processes.ts";
import { endAfterFailure, endWithParent, type ServerOutput, untilStopped } from "./until-stopped.ts";

export type ServeFlags = Omit<Flags, "firstRun"> & { firstRun?: true };

/** Serves until the process is stopped. The sandboxes' process may be under way already. */
export async function serveRegions(flags: ServeFlags, underWay?: SandboxProcess): Promise<void> {
  const parent = parentToWatch(process.env);
  keepCompiledCode();
  const config = readConfig(process.env, { ...flags, firstRun: flags.firstRun ? "on" : undefined });
  const output = openOutput(config);
  if (cluster.isWorker) return serveAsMember(config, output);
  if (config.processes > 1) return serveByProcesses(config, output, underWay, parent);
  const startIsOver = endWithParent(parent, output);
  const { log } = output.logs;
  const sandboxes = config.sandboxes === "own" ? startOwnSandboxes(sandboxPortOf(config.port), log, underWay) : null;
  // It is awaited below, and fails there. Until then Node would call it unhandled.
  sandboxes?.catch(() => {});
  // Loaded once the sandboxes know their ports.
  const { startSignalbox } = await import("../../main.ts");
  const running = await startSignalbox(config, output.logs, sandboxes).catch(failedStart);
  startIsOver();
  untilStopped(running, output, parent);
  releaseMemoryWhenIdle();
  // A supervisor may stop the server once it reads that it is ready, so the handlers come first.
  console.log(greeting(config, performance.now() / 1000));
}

/** One of several processes, which the primary has started. It loads its code at once, and then waits for its turn. */
async function serveAsMember(config: Config, { logs, ...output }: ServerOutput): Promise<void> {
  const { startSignalbox } = await import("../../main.ts");
  const member = await joinProcesses(config.processes);
  const log = logs.log.child({ process: member.number });
  const sandboxes = member.sandboxes && Promise.resolve(member.sandboxes);
  const parts = [shareOfSettings(config), { ...logs, log }, sandboxes, member] as const;
  const running = await startSignalbox(...parts).catch(failedStart);
  const { stop } = untilStopped(running, { logs: { ...logs, log }, ...output }, null);
  releaseMemoryWhenIdle();
  member.ready((reason) => stop({ signal: "none", reason }));
}

function failedStart(error: unknown): never {
  endAfterFailure();
  throw explained(error);
}

function openOutput(config: Config): ServerOutput {
  const lines = gatherLines(1, config.processes > 1);
  const isTerminal = process.stdout.isTTY === true;
  const destination = isReadable(config.logFormat, isTerminal)
    ? readableLines(lines, isTerminal && !process.env.NO_COLOR)
    : lines;
  return { logs: createLogs(config.logLevel, destination), flush: () => lines.flushSync() };
}

export const isReadable = (format: Config["logFormat"], isTerminal: boolean): boolean =>
  format === "text" || (format === "auto" && isTerminal);
