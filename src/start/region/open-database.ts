import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../kernel/log.ts";
import type { RegionMeter } from "../../kernel/meter.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Secret } from "../../kernel/secret.ts";
import { type Store, StoreUnavailable } from "../../store/db.ts";
import { appliedMigrations, migrate } from "../../store/migrate.ts";
import type { Replica } from "../../store/postgres/replica.ts";
import type { SignalParts } from "../../store/postgres/signals.ts";
import { openReadOnlyFile, type ReadOnlyStore } from "../../store/read-only-store.ts";
import type { Signals } from "../../store/signals.ts";
import { asUnavailable } from "../../store/sqlite/connection.ts";
import { isForLackOfRoom, releaseReserve } from "../../store/sqlite/disk-reserve.ts";
import { openSqlite } from "../../store/sqlite/sqlite.ts";
import type { Config } from "../settings/config.ts";
import { regionSettings } from "../settings/region-settings.ts";
import { SettingRefused } from "../settings/setting-refused.ts";
import { damagedRemedy } from "./last-backup.ts";

export const sqliteFile = (config: Config, region: Region): string => join(config.home, `${region}.sqlite`);

export const lockFile = (config: Pick<Config, "home">, region: Region): string =>
  join(config.home, `${region}.at-work`);

export const markFile = (config: Pick<Config, "home">, region: Region): string => join(config.home, `${region}.epoch`);

export const reserveFile = (config: Config, region: Region): string => join(config.home, `${region}.reserve`);

/** Where the region's data is, for people; without a password. */
export function storeName(config: Config, region: Region): string {
  const url = config.databaseUrls[region];
  if (!url) return `SQLite, ${sqliteFile(config, region)}`;
  return `PostgreSQL, ${withoutCredentials(url.reveal())}`;
}

/** Several hosts make no URL that the platform can parse, so the text is cut by hand. */
const withoutCredentials = (url: string): string => url.replace(/^(\w+:\/\/)(?:[^/@]*@)?([^?]*).*$/s, "$1$2");

/** Whether there is a store, which is not created or changed by looking. */
export async function isStoreMade(config: Config, region: Region): Promise<boolean> {
  const url = config.databaseUrls[region];
  if (!url) return existsSync(sqliteFile(config, region));
  const store = await openServer(url);
  try {
    return (await appliedMigrations(store)) !== null;
  } catch (error) {
    throw refusedSetting(error, region);
  } finally {
    // It was only read, so a failure to close loses nothing.
    await store.close().catch(() => {});
  }
}

/** Opens a store only to read it: nothing is created or migrated. Null if there is none. */
export async function openReadOnlyStore(config: Config, region: Region): Promise<ReadOnlyStore | null> {
  const url = config.databaseUrls[region];
  if (url) return openServer(url);
  const file = sqliteFile(config, region);
  return existsSync(file) ? openReadOnlyFile(file) : null;
}

export function refusedSetting(error: unknown, region: Region): unknown {
  const refusal = error instanceof StoreUnavailable ? error.cause : error;
  return isRefusedByServer(refusal)
    ? new SettingRefused(`${regionSettings.databaseUrl(region).name} cannot be used: ${refusal.message}.`)
    : error;
}

/** Opens the region's database and brings its schema up to date. `report` hears what takes long. */
export async function openStore(
  config: Config,
  region: Region,
  report: (text: string) => void = () => {},
): Promise<Store> {
  const url = config.databaseUrls[region];
  const store = url ? await openServer(url, config.databaseConnections) : openFile(config, region);
  try {
    await migrate(store, new Date(), undefined, { report });
    return store;
  } catch (error) {
    // The first failure is the one to report.
    await store.close().catch(() => {});
    if (isDamaged(error)) throw damagedStore(config, region, error);
    throw refusedSetting(error, region);
  }
}

const isDamaged = (error: unknown): error is Error => {
  const known = asUnavailable(error);
  return known instanceof StoreUnavailable && known.reason === "damaged";
};

function damagedStore(config: Config, region: Region, error: Error): SettingRefused {
  const { message } = error.cause instanceof Error ? error.cause : error;
  return new SettingRefused(
    `The store ${sqliteFile(config, region)} is damaged (${message}), so it is not served. ${damagedRemedy(config, region)}`,
  );
}

// Loaded on demand: most regions are SQLite files, and a process without the PostgreSQL driver is much smaller.
async function openServer(url: Secret, connectionsMax?: number): Promise<Store> {
  const { openPostgres } = await import("../../store/postgres/postgres.ts");
  return openPostgres(url.reveal(), connectionsMax);
}

// Loaded on demand, like the store: a process without the PostgreSQL driver is much smaller.
export async function openSignals(parts: SignalParts): Promise<Signals> {
  const { createPostgresSignals } = await import("../../store/postgres/signals.ts");
  return createPostgresSignals(parts);
}

/** The region's read replica, if one is set. */
export async function openReplica(
  config: Config,
  region: Region,
  parts: { primary: Store; log: Log; meter: RegionMeter },
): Promise<Replica | null> {
  const url = config.replicaUrls[region]?.reveal();
  if (url === undefined) return null;
  const { createReplica } = await import("../../store/postgres/replica.ts");
  const { primary, log, meter } = parts;
  return createReplica({ url, connectionsMax: config.databaseConnections, primary, log, count: meter.replicaRead });
}

function openFile(config: Config, region: Region): Store {
  try {
    mkdirSync(config.home, { recursive: true, mode: 0o700 });
    return openWithReserve(config, region);
  } catch (error) {
    if (isDamaged(error)) throw damagedStore(config, region, error);
    const why = error instanceof Error ? error.message : error;
    throw new SettingRefused(`The data folder ${config.home} (SIGNALBOX_HOME or --home) cannot be used: ${why}.`);
  }
}

/** On a full disk, deleting the reserve lets the file be opened for reading. */
function openWithReserve(config: Config, region: Region): Store {
  try {
    return openSqlite(sqliteFile(config, region));
  } catch (error) {
    if (!isForLackOfRoom(error) || !releaseReserve(reserveFile(config, region))) throw error;
    return openSqlite(sqliteFile(config, region));
  }
}

// Classes 28 and 3D of PostgreSQL: the server responded, and the user, password or database is wrong.
const isRefusedByServer = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^(28|3D)/.test(String(error.code));
