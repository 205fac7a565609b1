import { existsSync } from "node:fs";
import { type Region, regions } from "../kernel/regions.ts";
import type { Secret } from "../kernel/secret.ts";
import type { Store } from "../store/db.ts";
import { isTable } from "../store/migrate.ts";
import { openReadOnlyFile, type ReadOnlyStore } from "../store/read-only-store.ts";
import { missingMasterKey, readMasterKeyId } from "../vault/sealing/data-keys.ts";
import { hasKeyInFolder, type KeyRing, keyRingInFolder, keyRingOf, masterKeyFrom } from "../vault/sealing/key-ring.ts";
import { firstRunFile } from "./first-run/first-run.ts";
import { lockFile, openReadOnlyStore, refusedSetting, sqliteFile } from "./region/open-database.ts";
import type { Config } from "./settings/config.ts";
import { SettingRefused } from "./settings/setting-refused.ts";

/** Only a first run creates a key: a node that lost its key must not start with another one. */
export async function keyRingFor(config: Config): Promise<KeyRing> {
  if (config.masterKey) return keyRingOfSettings(config.masterKey, config.masterKeyOld);
  if (!config.firstRun) {
    throw new SettingRefused(
      "SIGNALBOX_MASTER_KEY is required: 32 bytes in base64 (openssl rand -base64 32), the same on every node of a region.",
    );
  }
  if (!hasKeyInFolder(config.home)) await refuseLostKey(config);
  return keyRingOfFolder(config.home);
}

/** The key of the folder, or a new one. */
function keyRingOfFolder(home: string): KeyRing {
  const isThere = hasKeyInFolder(home);
  try {
    return keyRingInFolder(home);
  } catch (error) {
    const why = String(error instanceof Error ? error.message : error).replace(/\.$/, "");
    throw new SettingRefused(
      isThere
        ? `The master key in ${home} (SIGNALBOX_HOME or --home) cannot be used: ${why}. Put the right one back.`
        : `No master key can be created in ${home} (SIGNALBOX_HOME or --home): ${why}.`,
    );
  }
}

/** Why the folder's key should exist, as a sentence; null if nothing indicates that there was one. */
export function lostKeyText({ home }: Config): string | null {
  const isServed = regions.some((region) => existsSync(lockFile({ home }, region))) || existsSync(firstRunFile(home));
  return isServed
    ? `The data folder ${home} (SIGNALBOX_HOME or --home) has data, but its master.key is missing.`
    : null;
}

export const lostKeyRemedy =
  "Put master.key back from where you keep it, or set SIGNALBOX_MASTER_KEY to its content. Signalbox does not create a new key, because it could not decrypt the existing data. If the key is lost, start with another data folder.";

/** A new key would seal new secrets beside old ones that can no longer be opened. A store that is refused is not changed. */
async function refuseLostKey(config: Config): Promise<void> {
  const lost = lostKeyText(config) ?? (await fileKeyText(config, regions)) ?? (await serverKeyText(config));
  if (lost !== null) throw new SettingRefused(`${lost} ${lostKeyRemedy}`);
}

/** Which key the files of these regions need, served or not, as a sentence; null if they need none. */
export async function fileKeyText(config: Config, of: readonly Region[]): Promise<string | null> {
  for (const region of of) {
    const file = sqliteFile(config, region);
    if (!existsSync(file)) continue;
    try {
      const needed = await keyNeededBy(openReadOnlyFile(file));
      if (needed !== null) return neededKeyText(config, region, needed);
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      return `The store ${file} cannot be read (${why}), and ${config.home} has no master.key.`;
    }
  }
  return null;
}

async function serverKeyText(config: Config): Promise<string | null> {
  for (const region of config.regions.filter((each) => config.databaseUrls[each] !== null)) {
    try {
      const store = await openReadOnlyStore(config, region);
      const needed = store && (await keyNeededBy(store));
      if (needed !== null) return neededKeyText(config, region, needed);
    } catch (error) {
      throw refusedSetting(error, region);
    }
  }
  return null;
}

const neededKeyText = ({ home }: Config, region: Region, id: string): string =>
  `The secrets in the store of region ${region} need the master key ${id}, and ${home} has no master.key.`;

async function keyNeededBy(store: ReadOnlyStore): Promise<string | null> {
  try {
    return (await isTable(store, "master_key")) ? await readMasterKeyId(store) : null;
  } finally {
    // It was only read, so a failure to close loses nothing.
    await store.close().catch(() => {});
  }
}

/** For commands beside a server: they use the existing key, and create none. */
export function existingKeyRing(config: Config): KeyRing {
  if (config.masterKey) return keyRingOfSettings(config.masterKey, config.masterKeyOld);
  if (hasKeyInFolder(config.home)) return keyRingOfFolder(config.home);
  const lost = lostKeyText(config);
  if (lost !== null) throw new SettingRefused(`${lost} ${lostKeyRemedy}`);
  throw new SettingRefused(
    `No master key: set SIGNALBOX_MASTER_KEY, or name the data folder with --home (${config.home} has none).`,
  );
}

const keyRingOfSettings = (key: Secret, old: Secret | null): KeyRing =>
  keyRingOf(masterKeyFrom(key.reveal()), ...(old ? [masterKeyFrom(old.reveal())] : []));

/** A node with another master key could open no secret, and would seal new ones that the other nodes cannot open. */
export async function refuseForeignKey(store: Store, ring: KeyRing): Promise<void> {
  const missing = await missingMasterKey(store, ring);
  if (missing === null) return;
  throw new SettingRefused(
    `The secrets in this store need the master key ${missing}, and this one is ${ring.current.id}. Set SIGNALBOX_MASTER_KEY (or put master.key back into the data folder); while the key is replaced, set SIGNALBOX_MASTER_KEY_OLD too.`,
  );
}
