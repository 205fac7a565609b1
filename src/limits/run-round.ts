import type { Db, Store } from "../store/db.ts";
import { listUsers, type RowTime, type Use, updateStates } from "./limits.store.ts";
import { createNewUses } from "./new-uses.ts";
import { learnReported } from "./reported/learn-reported.ts";
import type { ReportedLimits } from "./reported/reported-limits.ts";
import type { Round } from "./rounds/round-types.ts";
import type { LimitClock } from "./state/clock.ts";
import type { States } from "./state/limit-row.ts";

/** The rows of the limiter, and whose clock their times follow. */
export interface LimitRows {
  store: Store;
  clock: LimitClock;
  time: RowTime;
}

export interface ExhaustedLimit {
  name: string;
  resetsAt: Date;
  users: { projectId: string; connectionId: string }[];
}

interface RoundParts {
  rows: LimitRows;
  reported: ReportedLimits;
  /** Whether the store knows that this process lives, and the note that says so. */
  heartbeat: { isKnown(): boolean; put(db: Db): Promise<void> };
  /** A limit of this subject is used. */
  noticeUse(subject: string): void;
  onExhausted: ((db: Db, exhausted: ExhaustedLimit) => Promise<void>) | undefined;
}

/** Admission rounds, each one transaction over the rows of its subjects. */
export function createRounds({ rows, reported, heartbeat, noticeUse, onExhausted }: RoundParts) {
  const newUses = createNewUses(rows.clock);

  async function runRound(subjects: readonly string[], decide: (states: States, now: number) => Round): Promise<Round> {
    for (const subject of subjects) noticeUse(subject);
    let uses: Use[] = [];
    let seen: { states: States; shift: number } | undefined;
    const round = await updateStates(rows, subjects, ({ states, now }) => {
      seen = { states, shift: now.wall - rows.clock.wall() };
      const result = decide(states, now.wall);
      uses = newUses.of(result);
      return { result, changed: result.changed, uses, inside: insideOf(result) };
    });
    newUses.written(uses);
    if (seen) learnReported(reported, seen.states, seen.shift, rows.clock.wall());
    return round;
  }

  function insideOf({ admitted, exhausted }: Round): ((db: Db) => Promise<void>) | undefined {
    // No reservation is durable without a heartbeat: a process that dies right after its first admission would hold it for the whole
    // time that its call may take.
    const isFirst = admitted.length > 0 && !heartbeat.isKnown();
    if (!isFirst && (exhausted.length === 0 || !onExhausted)) return undefined;
    return async (db) => {
      if (isFirst) await heartbeat.put(db);
      if (!onExhausted) return;
      for (const { subject, name, until } of exhausted) {
        const users = await usersOf(db, reported, subject, name);
        await onExhausted(db, { name, resetsAt: new Date(until), users });
      }
    };
  }

  return runRound;
}

/** The connections that use a limit: those of this process, and those in the store. */
async function usersOf(
  db: Db,
  reported: ReportedLimits,
  subject: string,
  name: string,
): Promise<ExhaustedLimit["users"]> {
  const here = [...(reported.find(subject, name)?.users ?? [])];
  const stored = (await listUsers(db, subject)).filter(({ connectionId }) => !here.some(([id]) => id === connectionId));
  return [...here.map(([connectionId, projectId]) => ({ projectId, connectionId })), ...stored];
}
