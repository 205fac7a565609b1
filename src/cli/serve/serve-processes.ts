import { ProcessFailed, startProcesses } from "../../start/cluster/primary.ts";
import { type OwnSandboxes, type SandboxProcess, startOwnSandboxes } from "../../start/sandboxes/start-sandboxes.ts";
import { type Config, sandboxPortOf } from "../../start/settings/config.ts";
import { explained } from "./explain-failure.ts";
import { greeting } from "./greeting.ts";
import { type ServerOutput, untilStopped } from "./until-stopped.ts";

/**
 * Serves with several processes at one address. This process, the primary, opens no store: it accepts connections,
 * hands them to the others in turn, replaces those that end, and stops them all.
 */
export async function serveByProcesses(
  config: Config,
  output: ServerOutput,
  underWay: SandboxProcess | undefined,
  parent: number | null,
): Promise<void> {
  const { log } = output.logs;
  const sandboxes = await ownSandboxes(config, output, underWay);
  const processes = startProcesses({
    count: config.processes,
    log,
    sandboxes: sandboxes?.urls ?? null,
    notReady: () => (sandboxes && !sandboxes.isRunning() ? "the sandboxes have ended" : null),
  });
  async function stop(why: string): Promise<number> {
    const code = await processes.stop(why);
    await sandboxes?.stop();
    return code;
  }
  untilStopped({ stop, kill: processes.kill, countUncaught: () => {} }, output, parent);
  try {
    await processes.whenReady;
  } catch (error) {
    await stop("another process could not start");
    output.flush();
    // The process has said why, in the same words as a server of one process.
    if (error instanceof ProcessFailed) process.exit(error.exitCode);
    throw error;
  }
  console.log(greeting(config, performance.now() / 1000));
}

async function ownSandboxes(
  config: Config,
  { logs }: ServerOutput,
  underWay: SandboxProcess | undefined,
): Promise<OwnSandboxes | null> {
  if (config.sandboxes !== "own") return null;
  try {
    return await startOwnSandboxes(sandboxPortOf(config.port), logs.log, underWay);
  } catch (error) {
    throw explained(error);
  }
}
