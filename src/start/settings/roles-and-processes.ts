import { availableParallelism } from "node:os";
import type { Region } from "../../kernel/regions.ts";
import type { Secret } from "../../kernel/secret.ts";
import { regionSettings } from "./region-settings.ts";
import { SettingRefused } from "./setting-refused.ts";
import { settings } from "./settings.ts";

type Role = "all" | "api" | "worker";
type Addresses = Record<Region, Secret | null>;

/** A process that does half of the work needs others, and only PostgreSQL has room for several. */
export function requireShared(role: Role, served: Region[], databaseUrls: Addresses): Role {
  const alone = onFile(served, databaseUrls);
  if (role === "all" || alone === undefined) return role;
  const address = regionSettings.databaseUrl(alone).name;
  throw new SettingRefused(
    `SIGNALBOX_ROLE (or --role) cannot be ${role}: region ${alone} is on SQLite, which only one process can use. Set ${address} to a PostgreSQL address, or leave the role at all.`,
  );
}

const onFile = (served: Region[], databaseUrls: Addresses): Region | undefined =>
  served.find((region) => databaseUrls[region] === null);

/** On SQLite, `auto` is what fits: one. A number is an order, which cannot be followed there. */
export function processesOf(wanted: number | "auto", served: Region[], databaseUrls: Addresses): number {
  const alone = onFile(served, databaseUrls);
  if (wanted === "auto") return alone === undefined ? availableParallelism() : 1;
  if (wanted === 1 || alone === undefined) return wanted;
  const address = regionSettings.databaseUrl(alone).name;
  throw new SettingRefused(
    `SIGNALBOX_PROCESSES (or --processes) cannot be ${wanted}: region ${alone} is on SQLite, which only one process can use. Set ${address} to a PostgreSQL address, or start one process.`,
  );
}

export function processHint(wanted: number | "auto", served: Region[], databaseUrls: Addresses): string[] {
  const alone = onFile(served, databaseUrls);
  if (wanted !== "auto" || alone === undefined) return [];
  return [`One process serves, although ${settings.processes.name} is auto: region ${alone} is on SQLite.`];
}
