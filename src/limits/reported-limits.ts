import type { ReportedLimit } from "../systems/define.ts";
import { learn } from "./reservations.ts";
import type { KeyedDemand as Demand } from "./row-keys.ts";
import type { ReportedRecord } from "./state.ts";

/** What this process was told of a limit, and how much of it its own calls hold without the store knowing. */
export interface Known {
  subject: string;
  record: ReportedRecord;
  reserved: number;
  /** Projects by connection: who may see it. */
  users: Map<string, string>;
}

/** Below this part of a limit all nodes count together, in the store. */
const lowPart = 0.1;
const knownMax = 10_000;

/**
 * Limits that a system tells with every answer, kept in memory: as long as plenty is left, a call costs the database
 * nothing at all.
 */
export interface ReportedLimits {
  find(subject: string, name: string): Known | undefined;
  /** True where the call may leave without asking the store. */
  hasPlenty(demand: Demand, now: number): boolean;
  leave(demand: Demand, user: { projectId: string; connectionId: string }): void;
  settle(demand: Demand): void;
  /** Answers whether so little is left that the store must know. */
  learn(told: ReportedLimit, now: number): boolean;
  ofProject(projectId: string): { connectionId: string; known: Known }[];
  /** What was told of these subjects counts no longer. */
  forget(isMeant: (subject: string) => boolean): void;
}

export function createReportedLimits(): ReportedLimits {
  const reported = new Map<string, Known>();
  const keyOf = (subject: string, name: string): string => `${subject}\n${name}`;

  function open(subject: string, name: string): Known {
    const key = keyOf(subject, name);
    let known = reported.get(key);
    if (!known) {
      if (reported.size >= knownMax) forgetIdle(reported);
      const record: ReportedRecord = { name, pausedUntil: 0, kind: "reported", max: null, remaining: 0, resetsAt: 0 };
      known = { subject, record, reserved: 0, users: new Map() };
      reported.set(key, known);
    }
    return known;
  }

  return {
    find: (subject, name) => reported.get(keyOf(subject, name)),
    hasPlenty({ subject, name, amount }, now) {
      const known = reported.get(keyOf(subject, name));
      return !known || freeOf(known, now) - amount >= lowOf(known, now);
    },
    leave({ subject, name, amount }, { projectId, connectionId }) {
      const known = open(subject, name);
      known.reserved += amount;
      if (!known.users.has(connectionId)) known.users.set(connectionId, projectId);
    },
    settle({ subject, name, amount }) {
      const known = reported.get(keyOf(subject, name));
      if (known) known.reserved = Math.max(0, known.reserved - amount);
    },
    learn(told, now) {
      const known = open(told.subject, told.name);
      if (told.resetsAt) learn(known.record, told);
      return known.record.resetsAt > now && known.record.remaining - known.reserved < lowOf(known, now);
    },
    ofProject: (projectId) =>
      [...reported.values()].flatMap((known) =>
        [...known.users]
          .filter(([, project]) => project === projectId)
          .map(([connectionId]) => ({ connectionId, known })),
      ),
    forget(isMeant) {
      for (const { subject, record } of reported.values())
        if (isMeant(subject)) Object.assign(record, { resetsAt: 0, pausedUntil: 0 });
    },
  };
}

/** Once the reset has passed, everything is free again, but for what is under way. */
const freeOf = ({ record, reserved }: Known, now: number): number =>
  (record.resetsAt > now ? record.remaining : (record.max ?? Number.MAX_SAFE_INTEGER)) - reserved;

const lowOf = ({ record }: Known, now: number): number =>
  record.resetsAt > now ? Math.ceil((record.max ?? 10) * lowPart) : 0;

/** First those whose time is over anyway: what others were told is worth more than what somebody asks for in passing. */
function forgetIdle(reported: Map<string, Known>, now = Date.now()): void {
  for (const [key, known] of reported) if (known.reserved === 0 && known.record.resetsAt <= now) reported.delete(key);
  if (reported.size < knownMax) return;
  for (const [key, known] of reported) if (known.reserved === 0) reported.delete(key);
}
