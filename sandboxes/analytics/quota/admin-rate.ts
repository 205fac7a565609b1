import type { Clock } from "../../server/clock.ts";
import { projectNumber } from "../people/people.ts";
import { ApiError, errorInfo } from "../wire/api-error.ts";
import type { AdjustableLimits } from "./limits.ts";

export interface AdminRate {
  /** Counts one call to the Admin API, or refuses it. */
  admit(email: string, isWrite: boolean): void;
  reset(): void;
}

/** Requests a minute, of the whole project and of each user, writes apart. */
export function createAdminRate(adjustableLimits: AdjustableLimits, clock: Clock): AdminRate {
  let minute = -1;
  const counts = new Map<string, number>();

  function count(key: string, max: number, quota: string): void {
    const used = (counts.get(key) ?? 0) + 1;
    if (used > max) throw tooMany(quota);
    counts.set(key, used);
  }

  return {
    admit(email, isWrite) {
      const now = Math.floor(clock.now() / 60_000);
      if (now !== minute) {
        minute = now;
        counts.clear();
      }
      const limits = adjustableLimits.current();
      count("requests", limits.admin_requests_per_minute, "Requests per minute");
      count(email, limits.admin_requests_per_user_per_minute, "Requests per minute per user");
      if (!isWrite) return;
      count("writes", limits.admin_writes_per_minute, "Write requests per minute");
      count(`${email} writes`, limits.admin_writes_per_user_per_minute, "Write requests per minute per user");
    },
    reset() {
      minute = -1;
    },
  };
}

function tooMany(quota: string): ApiError {
  const service = "analyticsadmin.googleapis.com";
  const consumer = `projects/${projectNumber}`;
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    `Quota exceeded for quota metric '${quota.split(" per ")[0]}' and limit '${quota}' of service '${service}' for consumer 'project_number:${projectNumber}'.`,
    [errorInfo("RATE_LIMIT_EXCEEDED", { service, consumer, quota_limit: quota })],
  );
}
