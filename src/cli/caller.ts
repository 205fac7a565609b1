import { Command, Option } from "commander";
import { isRegion, regions } from "../kernel/regions.ts";
import { readConfig, readIfSet } from "../start/config.ts";
import { readFirstRun } from "../start/first-run.ts";
import { regionSettings } from "../start/region-settings.ts";
import { callerSettings } from "../start/settings.ts";
import { CommandRefused } from "./command.ts";

/** Options of commands that call a running server, like any other client. */
export interface CallerOptions {
  region: string;
  home?: string;
  baseUrl?: string;
  project?: string;
  json?: true;
}

/** The key is never an argument: other users of the machine could read it there. */
export const callingCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .addOption(new Option("--region <region>", "the region").choices(regions).default("us"))
    .option("--home <folder>", "where first-run.json is, default ./data or SIGNALBOX_HOME")
    .option("--base-url <url>", "the server; default from SIGNALBOX_BASE_URL_… or first-run.json")
    .option("--project <id>", "the project; default from SIGNALBOX_PROJECT or first-run.json")
    .option("--json", "print JSON")
    .addHelpText("after", "\nThe API key is read from SIGNALBOX_API_KEY, or from first-run.json.");

/** The refusal of a server, for the person at the keyboard. */
interface ProblemBody {
  code: string;
  detail: string;
  remedy?: string;
  errors?: { pointer: string; detail: string }[];
}

/** Calls one operation and returns its body. */
export async function callServer<T>(options: CallerOptions, operation: string, body: unknown = {}): Promise<T> {
  const { baseUrl, project, apiKey } = callerOf(options);
  const response = await fetch(`${baseUrl}/latest/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${project}:${apiKey}` },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new CommandRefused(
      `No server answers at ${baseUrl}. Start it with \`npm start\`, or name it with --base-url.`,
    );
  });
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json()) as ProblemBody;
  const errors = (problem.errors ?? []).map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`).join("");
  throw new CommandRefused(`${problem.detail} (${problem.code})${errors}\n  ${problem.remedy ?? ""}`);
}

function callerOf(options: CallerOptions): { baseUrl: string; project: string; apiKey: string } {
  if (!isRegion(options.region)) throw new CommandRefused(`--region must be one of ${regions.join(", ")}.`);
  const config = readConfig(process.env, { home: options.home });
  const known = readFirstRun(config.home).regions[options.region];
  const apiKey = readIfSet(process.env, callerSettings.apiKey)?.reveal() ?? known?.api_key;
  const project = options.project ?? readIfSet(process.env, callerSettings.project) ?? known?.project_id;
  if (!apiKey || !project) {
    throw new CommandRefused(
      `Whose key? Set SIGNALBOX_API_KEY and name a project (--project or SIGNALBOX_PROJECT), or run in a folder where \`npm start\` has been: there is no first-run.json in ${config.home}.`,
    );
  }
  const named = readIfSet(process.env, regionSettings.baseUrl(options.region));
  return { baseUrl: options.baseUrl ?? named ?? known?.base_url ?? config.baseUrls[options.region], project, apiKey };
}

export function readJson(text: string, flag: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, together with JSON that is not an object.
  }
  throw new CommandRefused(`${flag} takes a JSON object, such as '{"limit":5}'.`);
}
