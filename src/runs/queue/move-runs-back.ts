import { turnAlone } from "../../kernel/work-in-slices.ts";
import { secondsAfter } from "../../store/clock/move-times-back.ts";
import type { Store } from "../../store/db.ts";
import type { WaitingFor } from "../record/run-record.ts";
import { leaseSecondsMax } from "./lease-seconds.ts";
import {
  type LateRun,
  listLate,
  makeDueNow,
  moveEntryLeasesBack,
  moveProbesBack,
  moveQueuedBack,
  moveRunLeasesBack,
} from "./move-runs-back.store.ts";

const minute = 60;
const day = 86_400;
const batchSize = 100;

/** The longest time that a run may have to wait for such a thing: a month for a limit, which is the longest pause that a system may ask for. */
const longestSeconds: Partial<Record<WaitingFor["kind"], number>> = { limit: 32 * day };
const otherwiseSeconds = day;

/**
 * After the clock was set back. A run that would wait for longer than what it waits for can take is due now: its worker looks again, and waits
 * again if it must. A wait for a time stays, unless it began by the clock that was ahead; then its worker measures it anew. So do the deadlines of
 * approvals. Returns how many runs were moved.
 */
export async function moveRunsBack(store: Store, now: Date, leaseSeconds: number): Promise<number> {
  const leases = { latest: secondsAfter(now, leaseSecondsMax), to: secondsAfter(now, leaseSeconds) };
  await moveRunLeasesBack(store, leases);
  await moveEntryLeasesBack(store, leases);
  await moveProbesBack(store, { latest: secondsAfter(now, day), to: now });
  const queued = await moveQueuedBack(store, { latest: secondsAfter(now, minute), to: now });
  return queued + (await moveWaitingBack(store, now));
}

async function moveWaitingBack(store: Store, now: Date): Promise<number> {
  // A run that a failing worker put back into the queue pauses for a minute.
  const range = { now: secondsAfter(now, minute), latest: secondsAfter(now, 2 * minute) };
  let moved = 0;
  for (let after: LateRun | null = null; ; await turnAlone()) {
    const late: LateRun[] = await listLate(store, range, after, batchSize);
    const wrong = late.filter((run) => isTooLate(run, now));
    moved += wrong.length;
    if (wrong.length > 0) {
      await store.transaction(async (db) => {
        for (const run of wrong) await makeDueNow(db, run, now.toISOString());
      });
    }
    after = late.at(-1) ?? null;
    if (after === null || late.length < batchSize) return moved;
  }
}

function isTooLate({ runAt, status, waitsFor, beganLater }: LateRun, now: Date): boolean {
  if (status === "queued" || waitsFor === null) return true;
  if (waitsFor === "time") return beganLater;
  if (waitsFor === "approval" || waitsFor === "person") return false;
  return runAt > secondsAfter(now, longestSeconds[waitsFor] ?? otherwiseSeconds).toISOString();
}
