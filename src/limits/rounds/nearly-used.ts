import type { States } from "../state/limit-row.ts";
import { reservedOf } from "../state/reservations.ts";
import type { KeyedDemand } from "../state/row-keys.ts";

/** From this part on, a call gets a warning. */
const nearPart = 0.9;

/** A warning about a quota of which little is left, after a call was admitted; null if there is plenty. */
export function nearlyUsed(states: States, demands: readonly KeyedDemand[]): string | null {
  for (const { subject, name, advice } of demands) {
    const state = advice === undefined ? undefined : states.get(subject);
    const record = state?.limits.get(name);
    if (!state || record?.kind !== "calendar") continue;
    const used = record.used + reservedOf(state, name);
    if (used < record.max * nearPart) continue;
    const [many, all] = [used, record.max].map((count) => count.toLocaleString("en-US"));
    const reset = `it starts anew at ${new Date(record.to).toISOString()}`;
    return record.isAssumed
      ? `${many} calls of the quota "${name}" are used, and its size is not known here (at least ${all}); ${reset}. ${advice}`
      : `${many} of the ${all} calls of the quota "${name}" are used; ${reset}. ${advice}`;
  }
  return null;
}
