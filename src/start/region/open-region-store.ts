import type { Log } from "../../kernel/log.ts";
import type { RegionMeter } from "../../kernel/meter.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Store } from "../../store/db.ts";
import { measuredStore } from "../../store/measured-store.ts";
import { newerSchema } from "../../store/migrate.ts";
import { readMasterKeyId, recordMasterKey } from "../../vault/sealing/data-keys.ts";
import type { KeyRing } from "../../vault/sealing/key-ring.ts";
import { refuseForeignKey } from "../master-keys.ts";
import type { Config } from "../settings/config.ts";
import { openStore } from "./open-database.ts";
import { settleRestore } from "./record-restore.ts";
import { restoredAtOf } from "./restored-at.ts";
import { takeOverFile, unlessFull } from "./take-over-file.ts";

/** Opens a region's store, once it fits this program and its master keys, and finds out what became of it meanwhile. */
export async function openRegionStore(
  config: Config,
  region: Region,
  { ring, log, now, meter }: { ring: KeyRing; log: Log; now: () => Date; meter: RegionMeter },
) {
  const store = measuredStore(await openStore(config, region, (text) => log.info(text)), meter);
  return closedOnFailure(store, () => takeOver(store, config, region, { ring, log, now }));
}

/** The sockets of a store that stays open keep the process of a failed start alive. */
export async function closedOnFailure<T>(opened: Pick<Store, "close">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The first failure is the one to report.
    await opened.close().catch(() => {});
    throw error;
  }
}

async function takeOver(
  store: Store,
  config: Config,
  region: Region,
  { ring, log, now }: { ring: KeyRing; log: Log; now: () => Date },
) {
  await refuseForeignKey(store, ring);
  const newer = await newerSchema(store);
  if (newer) log.warn(newer.detail);
  if (store.kind === "sqlite" && (await readMasterKeyId(store)) === null) {
    await unlessFull(recordMasterKey(store, ring, now()));
  }
  // Nodes on one database server know each other only by their leases.
  const ownFile = store.kind === "sqlite" ? await takeOverFile(store, config, region, { log, now }) : null;
  if (store.kind === "postgres") await settleRestore(store, (sentence) => log.warn(sentence));
  const restoredAt = await restoredAtOf(store, ownFile, log, now);
  const noWrites = await ownFile?.marks.writeFailure();
  if (noWrites) log.warn({ reason: noWrites }, "the store accepts no writes: only reads are served until it does");
  if (ownFile?.marks.isRecorded() === false) log.warn(unrecordedText);
  return { store, ownFile, restoredAt };
}

const unrecordedText =
  "the disk is too full to record the restore: runs, schedules, events and deliveries wait until it is recorded, which needs no restart";
