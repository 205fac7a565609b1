import type { ReportedLimit } from "../systems/define.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { ReportedLimits } from "./reported/reported-limits.ts";
import type { Caller, Sending } from "./rounds/round-types.ts";
import type { LimitClock } from "./state/clock.ts";
import { type KeyedDemand, keyedReport } from "./state/row-keys.ts";
import type { AdmissionQueue, Admitted } from "./waiting/admission-queue.ts";

/** Permission to send one call. */
export interface Permit {
  /**
   * To be called once the answer is there, or will not come. Never throws: at worst the reservation expires by itself. With
   * `atWorkMilliseconds`, the call keeps its concurrent slot while the system may still work on it.
   */
  settle(
    reports: readonly ReportedLimit[],
    outcome: "arrived" | "never sent",
    atWorkMilliseconds?: number,
  ): Promise<void>;
  waitedMilliseconds: number;
  /** There was no room at first. What was true when the call arrived may have changed since. */
  hasQueued: boolean;
  /** A warning about a quota of which little is left. */
  near: string | null;
  /** A call that was not sent by then returns the permit and asks again: its reservation may expire before the answer. */
  isStale(): boolean;
  /**
   * The call is about to be sent, and has its answer within this time. Returns false if it no longer holds its reservation: then it
   * must not be sent.
   */
  startSend(milliseconds: number): Promise<boolean>;
}

/** Time from admission to get a token and to connect. */
export const readySeconds = 30;
/** For clocks and slow commits. */
const spareSeconds = 5;
/** Longer than any period of a system. A later reset is a misunderstanding, and must not block every call. */
const resetMax = 25 * 3_600_000;

export interface PermitParts {
  clock: LimitClock;
  reported: ReportedLimits;
  heartbeat: Heartbeat;
  queueOf(demands: readonly KeyedDemand[]): AdmissionQueue;
}

/** A call after its admission. */
export interface AdmittedCall {
  caller: Caller;
  demands: readonly KeyedDemand[];
  /** Of the demands: those that the store counts, and those with plenty left, which only this process counts. */
  counted: readonly KeyedDemand[];
  free: readonly KeyedDemand[];
  /** Null if nothing is counted in the store. */
  admitted: Admitted | null;
  sending: Sending;
  waitedSince: number;
}

export function createPermit({ clock, reported, heartbeat, queueOf }: PermitParts, call: AdmittedCall): Permit {
  const { caller, demands, counted, free, admitted } = call;
  const endCall = admitted ? heartbeat.begin() : null;
  let until = clock.wall() + readySeconds * 1000 + call.sending.milliseconds;
  const admittedAt = clock.steady();
  let isSettled = false;
  return {
    waitedMilliseconds: admittedAt - call.waitedSince,
    hasQueued: admitted?.hasQueued ?? false,
    near: admitted?.near ?? null,
    isStale: () =>
      clock.steady() - admittedAt > (readySeconds - spareSeconds) * 1000 || (admitted !== null && heartbeat.isLate()),
    async startSend(milliseconds) {
      if (!admitted) return true;
      until = Math.max(until, clock.wall() + milliseconds);
      return queueOf(counted).startSend({ reservationId: admitted.reservationId, milliseconds });
    },
    async settle(given, outcome, atWorkMilliseconds = 0) {
      if (isSettled) return;
      isSettled = true;
      endCall?.();
      const reports = given.map((each) => withinReason(keyedReport(each, caller.organizationId), clock.wall()));
      for (const demand of free) reported.settle(demand);
      const low = learnAll(reported, demands, reports, clock.wall());
      for (const demand of low) if (!counted.includes(demand)) queueOf([demand]).publish();
      if (!admitted) return;
      const { reservationId } = admitted;
      const settlement = { reservationId, until, demands: counted, caller, outcome, reports, atWorkMilliseconds };
      await queueOf(counted).settle(settlement);
    },
  };
}

/** Returns the limits of which little is left. A used-up limit that the call did not name means every limit it had asked for. */
function learnAll(
  reported: ReportedLimits,
  demands: readonly KeyedDemand[],
  reports: readonly ReportedLimit[],
  now: number,
): KeyedDemand[] {
  const low: KeyedDemand[] = [];
  for (const report of reports) {
    const isNamed = ({ subject, name }: KeyedDemand): boolean => subject === report.subject && name === report.name;
    const isMeantAll = report.remaining <= 0 && !demands.some(isNamed);
    for (const demand of demands) {
      if (demand.kind !== "reported" || demand.subject !== report.subject) continue;
      if (demand.name === report.name) {
        if (reported.learn(report, now)) low.push(demand);
      } else if (isMeantAll && reported.learn({ ...report, name: demand.name }, now)) low.push(demand);
    }
  }
  return low;
}

const withinReason = (report: ReportedLimit, now: number): ReportedLimit =>
  report.resetsAt && report.resetsAt.getTime() > now + resetMax
    ? { ...report, resetsAt: new Date(now + resetMax) }
    : report;
