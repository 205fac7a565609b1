import type { Limits } from "../limits.ts";
import { ApiError } from "./api-error.ts";

/** A group of endpoints that share one allowance, and how long that allowance lasts. */
const windows = {
  deployments_list_per_minute: 60,
  deployments_read_per_minute: 60,
  deployments_created_per_hour: 3600,
  deployments_created_per_day: 86_400,
  deployments_deleted_per_10_minutes: 600,
  projects_read_per_minute: 60,
  projects_write_per_minute: 60,
  env_list_per_minute: 60,
  env_create_per_minute: 60,
  env_update_per_minute: 60,
  env_delete_per_minute: 60,
  project_domains_per_minute: 60,
  domains_read_per_minute: 60,
  team_read_per_minute: 60,
  members_read_per_minute: 60,
  user_read_per_minute: 60,
  runtime_logs_per_minute: 60,
  webhooks_created_per_minute: 60,
  other_per_minute: 60,
} as const satisfies Partial<Record<keyof Limits, number>>;

export type Bucket = keyof typeof windows;

interface Window {
  used: number;
  endsAt: number;
}

export interface RateBuckets {
  /** Counts one call by `who`. Answers the three headers that every response carries; throws the 429. */
  take(bucket: Bucket, who: string, now: number): Record<string, string>;
}

export function createRateBuckets(limits: Limits): RateBuckets {
  const open = new Map<string, Window>();
  return {
    take(bucket, who, now) {
      const key = `${bucket} ${who}`;
      const total = limits[bucket];
      let window = open.get(key);
      // A clock set back must not leave somebody locked out until the old end comes round again.
      if (!window || now >= window.endsAt || window.endsAt - now > windows[bucket] * 1000) {
        window = { used: 0, endsAt: now + windows[bucket] * 1000 };
        open.set(key, window);
      }
      const isAllowed = window.used < total;
      if (isAllowed) window.used++;
      const remaining = Math.max(0, total - window.used);
      const reset = Math.ceil(window.endsAt / 1000);
      const headers = {
        "x-ratelimit-limit": String(total),
        "x-ratelimit-remaining": String(remaining),
        "x-ratelimit-reset": String(reset),
      };
      if (isAllowed) return headers;
      const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
      // Both codes occur at the vendor; the daily allowance answers with the second one.
      const code = bucket === "deployments_created_per_day" ? "too_many_requests" : "rate_limited";
      throw new ApiError(429, code, `Too many requests - try again in ${seconds} seconds (${bucket}: ${total}).`, {
        extra: { limit: { remaining: 0, reset, resetMs: window.endsAt, total } },
        headers: { ...headers, "retry-after": String(seconds) },
      });
    },
  };
}
