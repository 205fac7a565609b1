import type { States } from "../state/limit-row.ts";
import { reservedOf } from "../state/reservations.ts";
import type { ReportedLimits } from "./reported-limits.ts";

/** Learns what systems reported to other nodes. `shift` is how far the clock of the rows is ahead of our own. */
export function learnReported(reported: ReportedLimits, states: States, shift: number, now: number): void {
  for (const [subject, state] of states) {
    for (const limit of state.limits.values()) {
      if (limit.kind !== "reported" || limit.resetsAt - shift <= now) continue;
      const { name, remaining, max } = limit;
      const report = { subject, name, remaining, resetsAt: new Date(limit.resetsAt - shift) };
      // Calls under way, on whichever node, are not in what the system has reported.
      reported.learnShared(max === null ? report : { ...report, max }, reservedOf(state, name), now);
    }
  }
}
