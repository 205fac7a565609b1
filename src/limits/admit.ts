import type { Demand } from "../systems/define.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { createPermit, type Permit } from "./permit.ts";
import type { ReportedLimits } from "./reported/reported-limits.ts";
import type { Caller, Sending } from "./rounds/round-types.ts";
import type { LimitClock } from "./state/clock.ts";
import { type KeyedDemand, keyedDemands } from "./state/row-keys.ts";
import type { AdmissionQueues } from "./waiting/queue-registry.ts";

interface AdmissionParts {
  clock: LimitClock;
  reported: ReportedLimits;
  queues: AdmissionQueues;
  heartbeat: Heartbeat;
  /** The longest time from sending to the answer, for calls that do not say it themselves. */
  callSeconds: number;
  /** A limit of this subject is used. */
  noticeUse(subject: string): void;
  /** A limit that the system reports is used. */
  noticeReported(): void;
}

/** Admits calls: at once where the system reports that plenty is left, and otherwise by a queue. */
export function createAdmission(parts: AdmissionParts) {
  const { clock, reported, queues, heartbeat, callSeconds } = parts;
  return async function admit(
    asked: readonly Demand[],
    caller: Caller,
    waitUntil: Date,
    { milliseconds = callSeconds * 1000, isAnnounced = false, willRetry = false }: Partial<Sending> = {},
  ): Promise<Permit> {
    const waitedSince = clock.steady();
    const now = clock.wall();
    const sending = { milliseconds, isAnnounced, willRetry };
    const demands = keyedDemands(asked, caller.organizationId);
    const free: KeyedDemand[] = [];
    const counted: KeyedDemand[] = [];
    for (const demand of demands)
      (demand.kind === "reported" && reported.hasPlenty(demand, now) ? free : counted).push(demand);
    const admitted =
      counted.length > 0 ? await queues.of(counted).enter(counted, caller, waitUntil.getTime(), sending) : null;
    for (const demand of free) {
      reported.reserve(demand, caller);
      parts.noticeUse(demand.subject);
    }
    if (demands.some(({ kind }) => kind === "reported")) parts.noticeReported();
    const call = { caller, demands, counted, free, admitted, sending, waitedSince };
    return createPermit({ clock, reported, heartbeat, queueOf: queues.of }, call);
  };
}
