import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createCaller } from "../../client/caller.ts";
import { followRun } from "../../client/follow-run.ts";
import { SignalboxProblem } from "../../client/problem.ts";
import type { Path } from "../../client/wire.ts";
import { isRegion, type Region, regions } from "../../kernel/regions.ts";
import { unknownSetting } from "../../start/settings/unknown-settings.ts";
import { CommandRefused, exitCodes } from "../exit-codes.ts";
import { defaultProfile, findLogin } from "../login/profiles.ts";
import { terminal } from "../terminal/terminal.ts";
import { contract, withCommands } from "./operations.ts";

/** Options of commands that call a running server. The key is never one: other users of the machine could read it there. */
export interface CallerOptions {
  region?: string;
  profile?: string;
  home?: string;
  baseUrl?: string;
  project?: string;
  json?: true;
}

export type Answer = Record<string, unknown>;

export interface Caller extends Target {
  call(path: string, input?: Record<string, unknown>): Promise<Answer>;
  /** The run each time that it has changed, until it ends or waits for a person. */
  follow(runId: string): AsyncIterable<Answer>;
}

interface Target {
  baseUrl: string;
  project: string;
  apiKey: string;
  region: Region;
}

export const callerOf = (options: CallerOptions): Caller => callerAt(findTarget(options));

export function callerAt(target: Target): Caller {
  const { baseUrl, project, apiKey } = target;
  const unreached = new AbortController();
  let hasAnswered = false;
  const connection = { baseUrl, headers: () => ({ authorization: `Bearer ${project}:${apiKey}` }) };
  const send = createCaller({
    ...connection,
    followsRegion: true,
    // Once a server has answered, a failure may pass, and the client tries again. Before that, the address is more likely wrong.
    onAttempt(answered) {
      hasAnswered ||= answered;
      if (!hasAnswered) unreached.abort(new Error("No response came."));
    },
  });
  const call = async (path: string, input: Record<string, unknown> = {}): Promise<Answer> => {
    try {
      return (await send(path as Path, input as never, { signal: unreached.signal })) as Answer;
    } catch (error) {
      throw await refusalOf(error, baseUrl);
    }
  };
  return {
    ...target,
    call,
    follow: (runId) =>
      followRun(((path, input) => call(path, input)) as typeof send, connection, runId) as AsyncIterable<never>,
  };
}

/** Flags, then variables, then the profile, then the first run in the data folder. */
function findTarget(options: CallerOptions): Target {
  const { environment } = terminal();
  const unknown = unknownSetting(environment, contract().settings);
  if (unknown !== null) throw new CommandRefused(unknown);
  if (options.region !== undefined && !isRegion(options.region))
    throw new CommandRefused(`--region must be one of ${regions.join(", ")}.`);
  const profile = options.profile ?? (environment.SIGNALBOX_PROFILE || defaultProfile);
  const givenKey = environment.SIGNALBOX_API_KEY;
  const wanted = options.region ?? regionOfKey(givenKey);
  // A folder that is named is meant.
  const found = options.home === undefined ? findLogin(profile, wanted) : null;
  const isAsked = options.profile !== undefined || Boolean(environment.SIGNALBOX_PROFILE);
  if (isAsked && !found)
    throw new CommandRefused(
      `There is no login of the profile "${profile}"${wanted ? ` in the region ${wanted}` : ""}. Log in with \`signalbox login --profile ${profile}\`.`,
    );
  const region = (wanted ?? found?.region ?? "us") as Region;
  const first = found ? undefined : firstRunOf(options, region);
  const apiKey = givenKey || found?.login.api_key || first?.api_key;
  if (!apiKey)
    throw new CommandRefused(
      `There is no API key. Log in with \`signalbox login\`, or set SIGNALBOX_API_KEY. A key of \`npm start\` was not found: there is no first-run.json in ${homeOf(options)}.`,
    );
  const baseUrl =
    options.baseUrl ||
    environment.SIGNALBOX_BASE_URL ||
    environment[`SIGNALBOX_BASE_URL_${region.toUpperCase()}`] ||
    found?.login.base_url ||
    first?.base_url ||
    `http://127.0.0.1:${Number(environment.SIGNALBOX_PORT || 4100) + regions.indexOf(region)}`;
  const project = options.project || environment.SIGNALBOX_PROJECT || found?.login.project_id || first?.project_id;
  return { baseUrl: checkedUrl(baseUrl), project: project ?? "", apiKey, region };
}

export function checkedUrl(text: string): string {
  const isUsable = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isUsable) throw new CommandRefused(`"${text}" is not an address: write it as https://us.signalbox.example.com.`);
  return text.replace(/\/+$/, "");
}

const regionOfKey = (key: string | undefined): string | undefined => /^sbk_(us|eu|au)_/.exec(key ?? "")?.[1];

const homeOf = ({ home }: CallerOptions): string =>
  resolve(home ?? (terminal().environment.SIGNALBOX_HOME || "./data"));

interface FirstRunEntry {
  base_url: string;
  project_id: string;
  api_key: string;
}

function firstRunOf(options: CallerOptions, region: Region): FirstRunEntry | undefined {
  const file = join(homeOf(options), "first-run.json");
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { regions?: Record<string, FirstRunEntry> }).regions?.[region];
  } catch {
    // A file that is damaged or being written names no key; the caller asks for one.
    return undefined;
  }
}

/** Whether somebody has logged in, or set a key: the command then calls the server. */
export function hasLogin(options: CallerOptions): boolean {
  const { environment } = terminal();
  if (options.home !== undefined) return false;
  if (environment.SIGNALBOX_API_KEY || options.profile !== undefined) return true;
  return findLogin(environment.SIGNALBOX_PROFILE || defaultProfile, options.region) !== null;
}

/** What went wrong, as a sentence and an exit code. */
async function refusalOf(error: unknown, baseUrl: string): Promise<unknown> {
  const isReached = error instanceof SignalboxProblem && error.status !== 0;
  if (!isReached && !(error instanceof SyntaxError)) {
    const cannot = `${baseUrl} cannot be reached: ${await reasonOf(baseUrl)}.`;
    return unreachable(
      `${cannot}\n  Check the address (--base-url, or \`signalbox login\` again). On this machine, \`npm start\` starts a server.`,
    );
  }
  if (!(error instanceof SignalboxProblem) || error.code === "unreadable") return notSignalbox(baseUrl, error);
  const mistakes = error.errors.map(({ pointer, detail }) => `\n  ${pathOf(pointer)}: ${detail}`).join("");
  // The mistakes themselves say what to correct.
  const remedy = mistakes === "" || error.code !== "validation_failed" ? withCommands(error.remedy) : "";
  const sentence = `${withCommands(error.detail)} (${error.code})${mistakes}${remedy ? `\n  ${remedy}` : ""}`;
  return new CommandRefused(sentence, exitCodes.refused, { ...error.body });
}

/** `#/params/branch` is `params.branch`. */
const pathOf = (pointer: string): string =>
  pointer.replace(/^#?\//, "").replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");

const unreachable = (message: string): CommandRefused => new CommandRefused(message, exitCodes.unreachable);

export function notSignalbox(baseUrl: string, error: unknown): CommandRefused {
  const status = error instanceof SignalboxProblem ? ` It responded with status ${error.status}.` : "";
  return unreachable(
    `${baseUrl} is not a Signalbox server, or a proxy responds instead.${status}\n  Check the address (--base-url), and that the proxy passes /latest.`,
  );
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such name",
  EAI_AGAIN: "the name could not be looked up",
  ECONNRESET: "the connection was cut",
  UND_ERR_CONNECT_TIMEOUT: "it does not respond",
  ETIMEDOUT: "it does not respond",
  EHOSTUNREACH: "there is no route to it",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; write http:// instead",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; name your authority in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of an unknown authority; name that in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is of an unknown authority; name that in NODE_EXTRA_CA_CERTS",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

const lookMilliseconds = 5_000;

/** A second look, for the reason: the first one is inside the client. */
async function reasonOf(baseUrl: string): Promise<string> {
  try {
    await fetch(baseUrl, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(lookMilliseconds) });
    return "the connection was cut";
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code) return reasons[code] ?? code;
    return error instanceof Error && error.name === "TimeoutError" ? "it does not respond" : "the call failed";
  }
}
