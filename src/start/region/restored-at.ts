import type { Log } from "../../kernel/log.ts";
import type { Store } from "../../store/db.ts";
import { readMark, type StoreMark } from "../../store/restore-detection.ts";
import type { OwnFile } from "./take-over-file.ts";

const newsMilliseconds = 86_400_000;

/** When the store was last restored from a backup, or null. The first start after a restore logs it. */
export async function restoredAtOf(
  store: Store,
  ownFile: OwnFile | null,
  log: Log,
  now: () => Date,
): Promise<string | null> {
  const mark = await readMark(store);
  const restoredAt = ownFile?.restoredAt ?? mark?.restoredAt ?? null;
  if (restoredAt !== null && (ownFile?.restoredAt || isNews(restoredAt, mark, now()))) {
    log.warn({ restored_at: restoredAt }, restoredText);
  }
  return restoredAt;
}

/** Nodes that share PostgreSQL cannot tell which of them starts first, so each logs the restore for a day. */
const isNews = (restoredAt: string, mark: StoreMark | null, now: Date): boolean =>
  restoredAt >= (mark?.markedAt ?? "") && now.getTime() - Date.parse(restoredAt) < newsMilliseconds;

const restoredText =
  "the store was restored from a backup: writes of open runs are checked at the systems, and wait for a person if a check cannot tell; schedules skip the times that they missed, and queued events and mails are set aside";
