import { type ElapsedTime, steadyTime } from "../../kernel/elapsed-time.ts";
import type { Log } from "../../kernel/log.ts";
import type { Store } from "../db.ts";
import { readClock, saveClock } from "./clock-seen.store.ts";
import { confirmedAfterMilliseconds, judgeClock, jumpMilliseconds, type SeenClock } from "./judge-clock.ts";

export { readClock } from "./clock-seen.store.ts";

/*
 * The time that decides what has expired and may be deleted: records by policy, idempotency keys, sessions. It is the wall clock, except
 * after a jump forward that is not confirmed. Then it goes on from before the jump, as fast as time passes.
 */

export interface ExpiryClock {
  now(): Date;
  /** Compares the clock with the last time in the store, and records it there. */
  check(): Promise<void>;
  /** The same, if the clock was set since the last look. */
  look(): Promise<void>;
  stop(): void;
}

const everyMilliseconds = 60_000;
/** A clock may be wrong for seconds only. What was made meanwhile would expire if nobody had seen where the clock stood. */
const lookMilliseconds = 1_000;

/** Rejects if the store cannot be read. One that cannot be written, because the disk is full, is written later. */
export async function openExpiryClock(
  store: Store,
  wall: () => Date,
  log: Log,
  time: ElapsedTime = steadyTime,
): Promise<ExpiryClock> {
  let known = { seen: judgeClock(await readClock(store), wall(), 0), moment: time.mark() };
  reportChange(log, null, known.seen);

  async function check(): Promise<void> {
    const elapsed = time.millisecondsSince(known.moment);
    // With the row locked: of two nodes that find the same jump, the first one counts it.
    const seen = await store.transaction(async (db) => {
      const judged = judgeClock(await readClock(db, db.lockRow), wall(), elapsed);
      await saveClock(db, judged);
      return judged;
    });
    reportChange(log, known.seen, seen);
    known = { seen, moment: time.mark() };
  }

  const checkQuietly = (): Promise<void> =>
    check().catch((error: unknown) =>
      log.warn({ err: error }, "the time could not be recorded in the store, will be tried again"),
    );
  let looked = { wall: wall().getTime(), moment: time.mark() };

  async function look(): Promise<void> {
    const before = looked;
    looked = { wall: wall().getTime(), moment: time.mark() };
    const jump = looked.wall - before.wall - time.millisecondsSince(before.moment);
    if (Math.abs(jump) > jumpMilliseconds) await checkQuietly();
  }

  await checkQuietly();
  const timers = [setInterval(checkQuietly, everyMilliseconds), setInterval(look, lookMilliseconds)];
  for (const timer of timers) timer.unref();
  return {
    check,
    look,
    now() {
      const { seen, moment } = known;
      const now = wall().getTime() - seen.aheadMilliseconds;
      const checked = seen.seenAt.getTime() - seen.aheadMilliseconds;
      // Reading the other clocks costs more, and a jump since the last check is rare.
      if (now - checked <= jumpMilliseconds) return new Date(now);
      const passed = checked + time.millisecondsSince(moment);
      return new Date(now - passed > jumpMilliseconds ? passed : now);
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

function reportChange(log: Log, before: SeenClock | null, after: SeenClock): void {
  const jumpedAt = after.jumpedAt?.getTime();
  if (jumpedAt === before?.jumpedAt?.getTime()) return;
  if (after.jumpedAt === null) {
    if (before?.jumpedAt) log.info("expiry follows the clock again");
    return;
  }
  const days = Math.round(after.aheadMilliseconds / 86_400_000);
  const until = new Date(after.jumpedAt.getTime() + confirmedAfterMilliseconds).toISOString();
  log.warn(
    { days_ahead: days, expiry_follows_at: until },
    "the clock has jumped forward since the store was last used: nothing expires by that until the clock has gone on steadily for a day. If it is right, `signalbox confirm-clock` ends the wait; if it is wrong, set it back",
  );
}
