import { existsSync } from "node:fs";
import { Command } from "commander";
import { resealMails } from "../access/mails/mail-queue.ts";
import { type Region, regions } from "../kernel/regions.ts";
import { existingKeyRing } from "../start/master-keys.ts";
import { openStore, sqliteFile } from "../start/region/open-database.ts";
import { type Config, readConfig } from "../start/settings/config.ts";
import { SettingRefused } from "../start/settings/setting-refused.ts";
import { createDataKeys, missingMasterKey } from "../vault/sealing/data-keys.ts";
import {
  beginKeyRotation,
  endKeyRotation,
  type KeyRing,
  keyRingInFolder,
  type MasterKey,
} from "../vault/sealing/key-ring.ts";
import { createSeal } from "../vault/sealing/seal.ts";
import { noteStore, printRows } from "./as-operator.ts";
import { terminal } from "./terminal/terminal.ts";

interface RotateOptions {
  home?: string;
  dataKeys?: true;
  json?: true;
}

export const rotateKeyCommand = (): Command =>
  new Command("rotate-key")
    .description("Replace the master key, or the data keys, beside a running server or without one")
    .option("--home <folder>", "the data folder, default ./data or SIGNALBOX_HOME")
    .option("--data-keys", "give every organization a new data key, and seal its secrets with that one")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Without SIGNALBOX_MASTER_KEY, the command creates a new key and replaces master.key in the data folder. It keeps the old key until every store uses the new one, and then deletes it.

With SIGNALBOX_MASTER_KEY: set the new key as SIGNALBOX_MASTER_KEY and the old one as SIGNALBOX_MASTER_KEY_OLD on every node. Restart the nodes one after the other, and run this command with both settings. Then remove the old one.

Keep the old key for as long as you keep backups from before: they cannot be read without it.`,
    )
    .action(rotate);

async function rotate(options: RotateOptions): Promise<void> {
  const config = readConfig(terminal().environment, { home: options.home });
  if (options.dataKeys) {
    const ring = existingKeyRing(config);
    const rows = await inEveryStore(config, ring, async (keys, store) => ({ sealed_anew: await keys.renew(store) }));
    printRows(rows, options);
    return;
  }
  const rows = config.masterKey ? await rotateTo(config, existingKeyRing(config)) : await rotateInFolder(config);
  printRows(rows, options);
}

/** Deletes the old key only once every store of the folder uses the new one. */
async function rotateInFolder(config: Config): Promise<Record<string, unknown>[]> {
  // Throws if there is no key to replace.
  existingKeyRing(config);
  beginKeyRotation(config.home);
  const rows = await rotateTo(config, keyRingInFolder(config.home));
  endKeyRotation(config.home);
  return rows;
}

const rotateTo = (config: Config, ring: KeyRing): Promise<Record<string, unknown>[]> =>
  inEveryStore(config, ring, async (keys, store) => ({
    master_key: ring.current.id,
    wrapped_anew: await keys.rewrap(store, ring.current satisfies MasterKey),
    mails_sealed_anew: await resealMails(store, createSeal(ring.current, ring.find)),
  }));

type Keys = ReturnType<typeof createDataKeys>;
type OpenStore = Awaited<ReturnType<typeof openStore>>;

/** Every region that this folder and these settings have a store for, served or not. */
async function inEveryStore(
  config: Config,
  ring: KeyRing,
  work: (keys: Keys, store: OpenStore) => Promise<Record<string, unknown>>,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const region of regions.filter((each) => hasStore(config, each))) {
    const store = await openStore(config, region);
    try {
      const missing = await missingMasterKey(store, ring);
      if (missing !== null) {
        throw new SettingRefused(
          `The secrets of the region ${region} need the master key ${missing}, which is missing: set it as SIGNALBOX_MASTER_KEY_OLD.`,
        );
      }
      rows.push({ region, ...(await work(createDataKeys({ ring, region, now: () => new Date() }), store)) });
    } finally {
      await store.close();
    }
  }
  for (const { region } of rows) noteStore(config, region as Region);
  return rows;
}

const hasStore = (config: Config, region: Region): boolean =>
  config.databaseUrls[region] !== null || existsSync(sqliteFile(config, region));
