import type { ReportedLimit } from "../../systems/define.ts";
import type { StepFailed } from "../../systems/work.ts";
import type { ReportedLimits } from "../reported/reported-limits.ts";
import type { KeyedDemand as Demand } from "../state/row-keys.ts";
import type { Exhausted } from "./exhausted.ts";

export interface Caller {
  id: string;
  /** The limits belong to this organization. */
  organizationId: string;
  projectId: string;
  connectionId: string;
  runId: string;
}

/** What the limiter knows of a call before it is sent. */
export interface Sending {
  /** The longest time from sending to the answer. */
  milliseconds: number;
  /** The call reports when it is sent. If its process dies before that, nothing has happened. */
  isAnnounced: boolean;
  /** It belongs to a run, which tries again after a refusal: until then it keeps its turn. */
  willRetry?: boolean;
}

/** A call that waits for admission. Times are those of its own process. */
export interface Waiter {
  demands: readonly Demand[];
  caller: Caller;
  sending: Sending;
  since: number;
  waitUntil: number;
  admitted: (reservationId: string, near?: string) => void;
  refused: (reason: unknown) => void;
}

/** A call that has ended: its answer came, or will not come. */
export interface Settlement {
  reservationId: string;
  /** The reservation expires at this time by itself. */
  until: number;
  demands: readonly Demand[];
  caller: Caller;
  outcome: "arrived" | "never sent";
  reports: readonly ReportedLimit[];
  /** How long the system may still work on the call after we stopped waiting. */
  atWorkMilliseconds: number;
}

/** A call that is about to be sent. */
export interface SendStart {
  reservationId: string;
  /** Time from now until its answer at the latest. */
  milliseconds: number;
}

/** What one queue brings to an admission round. */
export interface RoundInput {
  queue: string;
  /** The limits that every call of this queue needs; amounts differ. */
  demands: readonly Demand[];
  waiters: Iterable<Waiter>;
  settlements: readonly Settlement[];
  starts: readonly SendStart[];
  reported: ReportedLimits;
  /** The time by this process's own clock. */
  clockNow: number;
  /** How long a call may take from admission until it is sent. */
  readyMilliseconds: number;
  newReservationId(): string;
  random(): number;
}

/** The result of one admission round. */
export interface Round {
  admitted: { waiter: Waiter; reservationId: string; near?: string }[];
  /** Ended calls that the system has counted. */
  counted: Settlement[];
  refused: { waiter: Waiter; reason: StepFailed }[];
  /** Of the calls about to be sent: those that still hold their reservations. */
  started: ReadonlySet<SendStart>;
  changed: boolean;
  /** Limits to announce as exhausted. */
  exhausted: Exhausted[];
  /** The limit that the first waiting call needs; null if none waits. */
  blockedBy: Demand | null;
  pauseMilliseconds: number;
}
