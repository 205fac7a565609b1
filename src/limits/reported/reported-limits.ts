import type { ReportedLimit } from "../../systems/define.ts";
import type { LimitClock } from "../state/clock.ts";
import type { ReportedRecord } from "../state/limit-row.ts";
import { learn } from "../state/reservations.ts";
import type { KeyedDemand as Demand } from "../state/row-keys.ts";

/** What a system reported to this process about a limit, and what calls of this process hold of it. The store does not know the latter. */
export interface Known {
  subject: string;
  record: ReportedRecord;
  reserved: number;
  /** What calls of all nodes held in the row that they share when it was last read, and until when that reading is good. */
  inRow: number;
  sharedUntil: number;
  /** Project ids by connection id: who may see the limit. */
  users: Map<string, string>;
}

/** Below this part of a limit, all nodes count together in the store. */
const lowPart = 0.1;
/** The low part is divided among the processes, for calls that one has under way without the others knowing; at least among so many. */
const processesLeast = 4;
const knownMax = 10_000;
/** Clocks are corrected by less all the time. */
const setMilliseconds = 1000;

/**
 * Limits that a system reports with every answer, kept in memory. While plenty is left, a call makes no query.
 */
export interface ReportedLimits {
  find(subject: string, name: string): Known | undefined;
  /** Whether a call may be sent without the store. */
  hasPlenty(demand: Demand, now: number): boolean;
  reserve(demand: Demand, user: { projectId: string; connectionId: string }): void;
  settle(demand: Demand): void;
  /** Returns whether so little is left that the nodes must count together. */
  learn(report: ReportedLimit, now: number): boolean;
  /** The same, from the row that all nodes share. */
  learnShared(report: ReportedLimit & { resetsAt: Date }, inRow: number, now: number): void;
  ofProject(projectId: string): { connectionId: string; known: Known }[];
  ofSubjects(subjects: ReadonlySet<string>): Known[];
  /** Reports about these subjects no longer hold. */
  forget(matches: (subject: string) => boolean): void;
}

export function createReportedLimits(clock: LimitClock, processes: () => number): ReportedLimits {
  const reported = new Map<string, Known>();
  let difference = clock.wall() - clock.steady();
  const keyOf = (subject: string, name: string): string => `${subject}\n${name}`;

  function open(subject: string, name: string): Known {
    const key = keyOf(subject, name);
    let known = reported.get(key);
    if (!known) {
      if (reported.size >= knownMax) forgetIdle(reported);
      const record: ReportedRecord = { name, pausedUntil: 0, kind: "reported", max: null, remaining: 0, resetsAt: 0 };
      known = { subject, record, reserved: 0, inRow: 0, sharedUntil: 0, users: new Map() };
      reported.set(key, known);
    }
    return known;
  }

  /** A wall clock that was set moves no reset: it comes as long after the report as the system said. The rows in the store do the same. */
  function followClock(): void {
    const shift = clock.wall() - clock.steady() - difference;
    if (Math.abs(shift) < setMilliseconds) return;
    difference += shift;
    for (const known of reported.values()) {
      known.record.resetsAt += shift;
      known.sharedUntil += shift;
    }
  }

  return {
    find(subject, name) {
      followClock();
      return reported.get(keyOf(subject, name));
    },
    hasPlenty({ subject, name, amount }, now) {
      followClock();
      const known = reported.get(keyOf(subject, name));
      // Before the first report, and after a reset, every node would have the whole limit for itself.
      if (!known || known.record.resetsAt <= now || known.sharedUntil <= now) return false;
      const low = lowOf(known);
      const left = known.record.remaining - known.inRow - known.reserved - amount;
      // Each of the others may believe what the system told it before these calls. So all of them together send no more than the low part.
      const unseenMax =
        known.record.max === null ? Number.MAX_SAFE_INTEGER : low / Math.max(processesLeast, processes());
      return left >= low && known.reserved + amount <= unseenMax;
    },
    reserve({ subject, name, amount }, { projectId, connectionId }) {
      const known = open(subject, name);
      known.reserved += amount;
      if (!known.users.has(connectionId)) known.users.set(connectionId, projectId);
    },
    settle({ subject, name, amount }) {
      const known = reported.get(keyOf(subject, name));
      if (known) known.reserved = Math.max(0, known.reserved - amount);
    },
    learn(report, now) {
      followClock();
      const known = open(report.subject, report.name);
      if (report.resetsAt) learn(known.record, report);
      return known.record.resetsAt > now && known.record.remaining - known.reserved < lowOf(known);
    },
    learnShared(report, inRow, now) {
      followClock();
      if (report.resetsAt.getTime() <= now) return;
      const known = open(report.subject, report.name);
      learn(known.record, report);
      known.inRow = inRow;
      known.sharedUntil = Math.max(known.sharedUntil, report.resetsAt.getTime());
    },
    ofProject(projectId) {
      followClock();
      return [...reported.values()].flatMap((known) =>
        [...known.users]
          .filter(([, project]) => project === projectId)
          .map(([connectionId]) => ({ connectionId, known })),
      );
    },
    ofSubjects(subjects) {
      followClock();
      return [...reported.values()].filter(({ subject }) => subjects.has(subject));
    },
    forget(matches) {
      for (const { subject, record } of reported.values())
        if (matches(subject)) Object.assign(record, { resetsAt: 0, pausedUntil: 0, max: null });
    },
  };
}

const lowOf = ({ record }: Known): number => Math.ceil((record.max ?? 10) * lowPart);

/** Drops limits whose reset has passed first, then any without calls under way. */
function forgetIdle(reported: Map<string, Known>, now = Date.now()): void {
  for (const [key, known] of reported) if (known.reserved === 0 && known.record.resetsAt <= now) reported.delete(key);
  if (reported.size < knownMax) return;
  for (const [key, known] of reported) if (known.reserved === 0) reported.delete(key);
}
