import { type Config, SettingRefused } from "./config.ts";
import type { Secret } from "./kernel/secret.ts";
import { hasKeyInFolder, type KeyRing, keyRingInFolder, keyRingOf, masterKeyFrom } from "./vault/key-ring.ts";

/** Only a first run makes a key by itself: a node that lost its key must not start with another one. */
export function keyRingFor(config: Config): KeyRing {
  if (config.masterKey) return keyRingOfSettings(config.masterKey, config.masterKeyOld);
  if (!config.firstRun) {
    throw new SettingRefused(
      "SIGNALBOX_MASTER_KEY is needed: 32 bytes in base64 (openssl rand -base64 32), the same on every node of a region.",
    );
  }
  try {
    return keyRingInFolder(config.home);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new SettingRefused(`The master key in ${config.home} (SIGNALBOX_HOME or --home) cannot be used: ${why}.`);
  }
}

/** For commands beside a server, whichever way it was started: they use the key that is there, and make none. */
export function keyRingBeside(config: Config): KeyRing {
  if (config.masterKey) return keyRingOfSettings(config.masterKey, config.masterKeyOld);
  if (hasKeyInFolder(config.home)) return keyRingInFolder(config.home);
  throw new SettingRefused(
    `There is no master key: set SIGNALBOX_MASTER_KEY, or name the data folder with --home (${config.home} has none).`,
  );
}

const keyRingOfSettings = (key: Secret, old: Secret | null): KeyRing =>
  keyRingOf(masterKeyFrom(key.reveal()), ...(old ? [masterKeyFrom(old.reveal())] : []));
