import { hasAnyChain } from "../../access/audit/audit.ts";
import { endKeyLeases } from "../../calls/idempotency-leases.ts";
import type { Region } from "../../kernel/regions.ts";
import { releaseAllReservations } from "../../limits/limits.ts";
import { endAllLeases } from "../../runs/runs.ts";
import { skipAfterRestore } from "../../schedules/skip-after-restore.ts";
import { type Store, StoreUnavailable } from "../../store/db.ts";
import { FileInUse, lockShared, type SharedLock } from "../../store/process-lock.ts";
import { type MarkWriter, markRestored, startMarkWriter, wasRestored } from "../../store/restore-detection.ts";
import { keepReserve } from "../../store/sqlite/disk-reserve.ts";
import { endTokenLeases } from "../../vault/tokens.ts";
import type { Config } from "../settings/config.ts";
import { SettingRefused } from "../settings/setting-refused.ts";
import { lockFile, markFile, reserveFile } from "./open-database.ts";

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

/**
 * Locks the file. A process that starts alone on a SQLite file takes over unfinished work at once: it ends all leases and
 * frees all concurrent slots, because their holders are gone.
 */
export async function takeOverFile(store: Store, config: Config, region: Region, now: () => Date): Promise<OwnFile> {
  const path = lockFile(config, region);
  const file = markFile(config, region);
  let restoredAt: string | null = null;
  let lock: SharedLock;
  try {
    lock = await lockShared(
      path,
      async () => {
        if (await wasRestored(store, file, async () => !(await hasAnyChain(store)))) {
          restoredAt = now().toISOString();
          // If the disk is too full to record it, this process still knows, and the next start finds it again.
          await unlessFull(markRestored(store, now()));
          await unlessFull(skipAfterRestore(store, now()));
        }
        await unlessFull(endAllLeases(store, now()));
        await unlessFull(store.transaction(endTokenLeases));
        await unlessFull(store.transaction(endKeyLeases));
        await unlessFull(releaseAllReservations(store));
      },
      config.sharedFolder,
    );
  } catch (error) {
    await store.close();
    if (error instanceof FileInUse) throw new SettingRefused(inUse(config, region));
    throw new SettingRefused(`The file ${path} cannot be locked: ${error instanceof Error ? error.message : error}.`);
  }
  keepReserve(reserveFile(config, region));
  return { marks: startMarkWriter(store, file, now), restoredAt, leave: () => lock.release() };
}
