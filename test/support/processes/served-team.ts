import { temporaryFolder } from "../stores.ts";
import { startTeam, type Team } from "../team.ts";
import type { Finished } from "./command.ts";
import { commandLine, type TerminalOptions } from "./command-line.ts";

export interface ServedTeam {
  team: Team;
  baseUrl: string;
  folder: string;
  /** Variables with which a command calls the server as the owner. */
  environment: Record<string, string>;
  run(args: readonly string[], options?: TerminalOptions): Promise<Finished>;
}

/** A server that listens, and the command line of its owner. */
export async function startServedTeam(
  options: Parameters<typeof startTeam>[1] = {},
  /** For a server whose public address must be known beforehand. */
  port = 0,
): Promise<ServedTeam> {
  const team = await startTeam("sqlite", options);
  const baseUrl = await team.app.listen({ host: "127.0.0.1", port });
  const folder = temporaryFolder();
  const environment = {
    SIGNALBOX_API_KEY: team.owner.apiKey,
    SIGNALBOX_PROJECT: team.projectId,
    SIGNALBOX_BASE_URL: baseUrl,
    XDG_CONFIG_HOME: folder,
  };
  return { team, baseUrl, folder, environment, run: (args, given) => commandLine(args, environment, given) };
}
