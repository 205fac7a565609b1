import { Command } from "commander";
import { isRegion, type Region, regions } from "../../kernel/regions.ts";
import { callerAt, checkedUrl, notSignalbox } from "../calling/caller.ts";
import { regionOption } from "../calling/calling-command.ts";
import { CommandRefused } from "../exit-codes.ts";
import { askHidden, firstLine } from "../terminal/ask.ts";
import { printRecord } from "../terminal/print-record.ts";
import { terminal, writeLine, writeNote } from "../terminal/terminal.ts";
import { keyFromBrowser } from "./browser-login.ts";
import { defaultProfile, profilesFile, readProfiles, writeProfiles } from "./profiles.ts";

interface LoginOptions {
  baseUrl?: string;
  project?: string;
  profile?: string;
  region?: string;
  browser?: true | false;
  withKey?: true;
  json?: true;
}

export const loginCommand = (): Command =>
  new Command("login")
    .description("Log in once: later commands use this server, project and key")
    .option("--base-url <url>", "the region's base address; default SIGNALBOX_BASE_URL, or http://127.0.0.1:4100")
    .option("--project <id>", "the project of later commands, prj_…; default: your only project")
    .option("--profile <name>", "save the login under this name; default SIGNALBOX_PROFILE, or default")
    .option("--with-key", "ask for an API key, and open no browser")
    .option("--no-browser", "print the address of the page, and open no browser")
    .option("--json", "print one JSON value; errors are JSON on standard error")
    .addHelpText(
      "after",
      "\nWith a key on standard input, the command uses that key:\n  signalbox login --base-url URL --project ID < key.txt\n\nOn a terminal, it opens a page of the console that creates a key for this machine. The key is never shown, and never an argument.",
    )
    .action(login);

const defaultAddress = "http://127.0.0.1:4100";

async function login(options: LoginOptions): Promise<void> {
  const { environment } = terminal();
  const baseUrl = checkedUrl(options.baseUrl ?? (environment.SIGNALBOX_BASE_URL || defaultAddress));
  const { apiKey, project: chosen } = await keyOf(baseUrl, options);
  const region = regionOfKey(apiKey);
  const wanted = options.project ?? (environment.SIGNALBOX_PROJECT || chosen);
  const info = await infoOf({ baseUrl, apiKey, region, project: "" });
  const projectId = projectAmong(info.projects, wanted);
  const name = options.profile ?? (environment.SIGNALBOX_PROFILE || defaultProfile);
  const profiles = readProfiles();
  const login = { base_url: baseUrl, project_id: projectId, api_key: apiKey, email: info.user.email ?? info.user_id };
  profiles[name] = { region, regions: { ...profiles[name]?.regions, [region]: login } };
  writeProfiles(profiles);
  print(options, {
    profile: name,
    region,
    base_url: baseUrl,
    email: login.email,
    project_id: projectId,
    file: profilesFile(),
  });
  if (projectId === null)
    writeNote(
      "No project is chosen: name one with --project, here or with each command. `signalbox projects list` shows them.",
    );
}

/** From standard input, from the browser, or typed without an echo. */
async function keyOf(baseUrl: string, options: LoginOptions): Promise<{ apiKey: string; project?: string }> {
  if (!terminal().stdin.isTTY) {
    const line = (await firstLine()).trim();
    if (line !== "") return { apiKey: line };
    // Without --no-browser, nobody would see the page that a script waits for.
    if (options.withKey || options.browser !== false) throw new CommandRefused(noKey(baseUrl));
  }
  if (!options.withKey) return keyFromBrowser(baseUrl, options);
  writeNote(`Create a key at ${baseUrl}/account, then paste it here. It is not shown.`);
  return { apiKey: (await askHidden("API key: ")).trim() };
}

const noKey = (baseUrl: string): string =>
  `There is no key on standard input, and no terminal to ask at.
  Create a key at ${baseUrl}/account, and send it: \`signalbox login --base-url ${baseUrl} < key.txt\`.
  Or log in with the browser: run the command at a terminal, or with --no-browser, which prints the page and waits.`;

function regionOfKey(apiKey: string): Region {
  const [, region = ""] = /^sbk_([a-z]{2})_[0-9A-Za-z]+$/.exec(apiKey) ?? [];
  if (!isRegion(region)) throw new CommandRefused("That is no API key: one begins with sbk_, as in sbk_us_….");
  return region;
}

interface Info {
  user_id: string;
  organization_id: string;
  user: { email?: string };
  projects: { project_id: string; name: string; role: string }[];
  key?: Record<string, unknown>;
}

/** Proves that the key works, before it is kept. */
async function infoOf(target: Parameters<typeof callerAt>[0]): Promise<Info> {
  const info = (await callerAt(target).call("/latest/auth/info")) as unknown as Info;
  if (typeof info.user_id !== "string" || !Array.isArray(info.projects)) throw notSignalbox(target.baseUrl, null);
  return info;
}

function projectAmong(projects: Info["projects"], wanted: string | undefined): string | null {
  const [only, ...others] = projects;
  if (wanted === undefined) return only && others.length === 0 ? only.project_id : null;
  if (projects.some(({ project_id: id }) => id === wanted)) return wanted;
  const known = projects.map(({ project_id: id, name }) => `\n  ${id}  ${name}`).join("");
  throw new CommandRefused(`This key does not reach the project ${wanted}. It reaches:${known || " none"}`);
}

export const whoamiCommand = (): Command =>
  new Command("whoami")
    .description("Show the account, key, project and server that commands use")
    .addOption(regionOption("the region; default: the one of the login, or us"))
    .option("--profile <name>", "the profile of `signalbox login`")
    .option("--project <id>", "the project")
    .option("--base-url <url>", "the server")
    .option("--home <folder>", "use the first-run.json of this data folder, and no login")
    .option("--json", "print one JSON value; errors are JSON on standard error")
    .action(async (options) => {
      // Loaded on demand, with what finds the login.
      const { callerOf } = await import("../calling/caller.ts");
      const caller = callerOf(options);
      const info = await infoOf({ ...caller, project: "" });
      if (options.json)
        return writeLine(JSON.stringify({ ...info, base_url: caller.baseUrl, project_id: caller.project || null }));
      const project = info.projects.find(({ project_id: id }) => id === caller.project);
      printRecord({
        email: info.user.email,
        user_id: info.user_id,
        organization_id: info.organization_id,
        project_id: project ? `${project.project_id} (${project.name}, ${project.role})` : caller.project || null,
        key: info.key ? [info.key.key_id, info.key.label].filter(Boolean).join("  ") : null,
        region: caller.region,
        base_url: caller.baseUrl,
      });
    });

export const logoutCommand = (): Command =>
  new Command("logout")
    .description("Forget the login; with --revoke, also revoke its key")
    .addOption(regionOption("only this region; default: all of the profile"))
    .option("--profile <name>", "the profile of `signalbox login`; default SIGNALBOX_PROFILE, or default")
    .option("--all", "forget every profile")
    .option("--revoke", "also revoke the keys at the server, at once and for good")
    .option("--json", "print one JSON value; errors are JSON on standard error")
    .action(logout);

async function logout(options: LoginOptions & { all?: true; revoke?: true }): Promise<void> {
  const profiles = readProfiles();
  const name = options.profile ?? (terminal().environment.SIGNALBOX_PROFILE || defaultProfile);
  const forgotten: { profile: string; region: string }[] = [];
  for (const each of options.all ? Object.keys(profiles) : [name]) {
    const profile = profiles[each];
    if (!profile) continue;
    for (const region of options.region ? [options.region] : Object.keys(profile.regions)) {
      const login = profile.regions[region];
      if (!login) continue;
      if (options.revoke) await revoke(login, region as Region);
      delete profile.regions[region];
      forgotten.push({ profile: each, region });
    }
    const [left] = regions.filter((region) => profile.regions[region]);
    if (left === undefined) delete profiles[each];
    else if (!profile.regions[profile.region]) profile.region = left;
  }
  writeProfiles(profiles);
  if (options.json) return writeLine(JSON.stringify({ results: forgotten, next: null }));
  if (forgotten.length === 0) writeLine("You were not logged in.");
  for (const { profile, region } of forgotten) writeLine(`Logged out: profile ${profile}, region ${region}.`);
  if (forgotten.length > 0 && !options.revoke)
    writeNote("The key still works. `signalbox logout --revoke` also revokes it.");
}

async function revoke(login: { base_url: string; api_key: string }, region: Region): Promise<void> {
  const target = { baseUrl: login.base_url, apiKey: login.api_key, region, project: "" };
  const info = await infoOf(target);
  const id = info.key?.key_id;
  if (typeof id === "string") await callerAt(target).call("/latest/auth/keys/revoke", { key_id: id });
}

function print(options: LoginOptions, value: Record<string, unknown>): void {
  if (options.json) writeLine(JSON.stringify(value));
  else printRecord(value);
}
