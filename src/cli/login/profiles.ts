import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandRefused } from "../exit-codes.ts";
import { terminal, writeNote } from "../terminal/terminal.ts";

/** Who calls, in one region. */
export interface Login {
  base_url: string;
  project_id: string | null;
  api_key: string;
  email: string;
}

/** "Several profiles and regions": a profile has one login in each region. */
export interface Profile {
  /** The region that is used without `--region`: the last one that was logged in to. */
  region: string;
  regions: Record<string, Login>;
}

type Profiles = Record<string, Profile>;

export const defaultProfile = "default";

/** "Profile in the system's configuration folder": XDG, macOS or Windows. */
export function profilesFile(): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: windows, HOME: home } = terminal().environment;
  const folder = xdg || (process.platform === "win32" ? windows : undefined) || systemFolder(home || homedir());
  return join(folder, "signalbox", "profiles.json");
}

const systemFolder = (home: string): string =>
  process.platform === "darwin" ? join(home, "Library", "Application Support") : join(home, ".config");

export function readProfiles(): Profiles {
  const file = profilesFile();
  if (!existsSync(file)) return {};
  keepPrivate(file);
  try {
    const { profiles } = JSON.parse(readFileSync(file, "utf8")) as { profiles: Profiles };
    return profiles ?? {};
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new CommandRefused(
      `${file} cannot be read: ${why}.\n  Delete it, and log in again with \`signalbox login\`.`,
    );
  }
}

/** The file holds API keys. */
function keepPrivate(file: string): void {
  if (process.platform === "win32" || (statSync(file).mode & 0o077) === 0) return;
  chmodSync(file, 0o600);
  writeNote(`signalbox: other users could read ${file}; its mode is 0600 again.`);
}

/** Replaced as a whole: a crash leaves the old file. */
export function writeProfiles(profiles: Profiles): void {
  const file = profilesFile();
  if (Object.keys(profiles).length === 0) {
    rmSync(file, { force: true });
    return;
  }
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(draft, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export const findLogin = (name: string, region: string | undefined): { region: string; login: Login } | null => {
  const profile = readProfiles()[name];
  const wanted = region ?? profile?.region;
  const login = wanted === undefined ? undefined : profile?.regions[wanted];
  return wanted !== undefined && login ? { region: wanted, login } : null;
};
