import { hasAnyChain } from "../../access/audit/audit.ts";
import { endKeyLeases } from "../../calls/idempotency-leases.ts";
import type { Log } from "../../kernel/log.ts";
import type { Region } from "../../kernel/regions.ts";
import { releaseAllReservations } from "../../limits/limits.ts";
import { endAllLeases } from "../../runs/runs.ts";
import { type Store, StoreUnavailable } from "../../store/db.ts";
import { FileInUse, lockShared, type SharedLock } from "../../store/process-lock.ts";
import { type MarkWriter, raiseMark, startMarkWriter, wasRestored } from "../../store/restore-detection.ts";
import { keepReserve } from "../../store/sqlite/disk-reserve.ts";
import { endTokenLeases } from "../../vault/tokens.ts";
import type { Config } from "../settings/config.ts";
import { SettingRefused } from "../settings/setting-refused.ts";
import { lockFile, markFile, reserveFile } from "./open-database.ts";
import { recordRestore } from "./record-restore.ts";

/** On a full disk the start goes on with reads only. The next start does what this one could not write. */
export async function unlessFull(work: Promise<void>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof StoreUnavailable && error.reason === "full")) throw error;
  });
}

const inUse = ({ home }: Config, region: Region): string =>
  `Another server uses the region ${region} in ${home} (SIGNALBOX_HOME or --home). Stop it first, or name another folder. If both are meant to serve the same data, set SIGNALBOX_SHARED_FOLDER=on for both; several servers work better on PostgreSQL.`;

/** A SQLite file that this process uses. */
export interface OwnFile {
  marks: MarkWriter;
  /** Set if this start found that the file was restored from a backup. */
  restoredAt: string | null;
  /** Lets another process take the file over. */
  leave(): void;
}

/** A restore that no process has recorded yet. */
interface FoundRestore {
  at: string;
  isRecorded(): boolean;
  record(): Promise<void>;
}

async function findRestore(store: Store, file: string, at: Date, log: Log): Promise<FoundRestore | null> {
  const isOpen = () => wasRestored(store, file, async () => !(await hasAnyChain(store)));
  if (!(await isOpen())) return null;
  let isRecorded = false;
  return {
    at: at.toISOString(),
    isRecorded: () => isRecorded,
    async record() {
      // Another process may have recorded it meanwhile.
      if (await isOpen()) {
        await recordRestore(store, at, (sentence) => log.warn(sentence));
        // Last: from now on the two marks agree, and no start finds the restore again.
        await raiseMark(store, file, at);
      }
      isRecorded = true;
    },
  };
}

/**
 * Locks the file. A process that starts alone on a SQLite file takes over unfinished work at once: it ends all leases and
 * frees all concurrent slots, because their holders are gone.
 */
export async function takeOverFile(
  store: Store,
  config: Config,
  region: Region,
  { log, now }: { log: Log; now: () => Date },
): Promise<OwnFile> {
  const path = lockFile(config, region);
  const file = markFile(config, region);
  let restore: FoundRestore | null = null;
  let lock: SharedLock;
  try {
    lock = await lockShared(
      path,
      async () => {
        restore = await findRestore(store, file, now(), log);
        // If the disk is too full to record it, that is done before anything else is.
        if (restore) await unlessFull(restore.record());
        await unlessFull(endAllLeases(store, now()));
        await unlessFull(store.transaction(endTokenLeases));
        await unlessFull(store.transaction(endKeyLeases));
        await unlessFull(releaseAllReservations(store));
      },
      config.sharedFolder,
    );
  } catch (error) {
    if (error instanceof FileInUse) throw new SettingRefused(inUse(config, region));
    throw new SettingRefused(`The file ${path} cannot be locked: ${error instanceof Error ? error.message : error}.`);
  }
  // The process that found it first may not have been able to record it yet.
  restore ??= await findRestore(store, file, now(), log);
  keepReserve(reserveFile(config, region));
  const marks = startMarkWriter(store, file, now, restore && !restore.isRecorded() ? restore.record : null);
  return { marks, restoredAt: restore?.at ?? null, leave: () => lock.release() };
}
