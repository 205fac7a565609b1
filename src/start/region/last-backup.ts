import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Region } from "../../kernel/regions.ts";
import type { Config } from "../settings/config.ts";

/** The newest backup that `signalbox backup` has made of a region, noted beside the store. */
interface LastBackup {
  file: string;
  taken_at: string;
}

const noteFile = (home: string, region: Region): string => join(home, `${region}.last-backup`);

/** A folder that cannot be written does not spoil a backup that was made. */
export function noteBackup({ home }: Config, region: Region, file: string, now: Date): void {
  const note: LastBackup = { file: resolve(file), taken_at: now.toISOString() };
  try {
    writeFileSync(noteFile(home, region), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch {
    // The backup itself is complete.
  }
}

function readLastBackup(home: string, region: Region): LastBackup | null {
  try {
    return JSON.parse(readFileSync(noteFile(home, region), "utf8")) as LastBackup;
  } catch {
    // No backup yet, or a note that is damaged: both count as no backup.
    return null;
  }
}

/** What to do about a damaged store, with the last backup that is known. */
export function damagedRemedy({ home }: Pick<Config, "home">, region: Region): string {
  const last = readLastBackup(home, region);
  if (last === null) {
    return `Restore a backup: \`signalbox restore --region ${region} --from FILE\`. The damaged file is kept.`;
  }
  return `Restore the last backup, of ${last.taken_at}: \`signalbox restore --region ${region} --from ${last.file}\`. The damaged file is kept.`;
}
