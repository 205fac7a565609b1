/** Everything that can be turned through the control API. The figures are the requirement's where it names one, else the vendor's. */
const defaults = {
  tokens_per_day: 200_000,
  tokens_per_hour: 40_000,
  tokens_per_project_per_hour: 14_000,
  concurrent_requests: 10,
  server_errors_per_project_per_hour: 10,
  thresholded_requests_per_hour: 120,
  realtime_tokens_per_day: 75_000,
  realtime_tokens_per_hour: 15_000,
  realtime_tokens_per_project_per_hour: 14_000,
  admin_requests_per_minute: 1200,
  admin_requests_per_user_per_minute: 600,
  admin_writes_per_minute: 600,
  admin_writes_per_user_per_minute: 180,
  /** 0 plays a cloud project in which the API is turned off. */
  data_api_enabled: 1,
  admin_api_enabled: 1,
  /** How long a report holds its slot among the concurrent ones. 0 is one turn of the event loop. */
  report_milliseconds: 0,
  sampling_events_max: 10_000_000,
  threshold_users_min: 10,
  key_events_per_property: 30,
  access_token_seconds: 3599,
  authorization_code_seconds: 600,
  /** 0 means that refresh tokens do not end by themselves; 604800 plays a consent screen in testing. */
  refresh_token_seconds: 0,
  refresh_token_idle_days: 180,
};

/** "Override any limit, token life included": the other sandboxes have this name for it. */
const alsoCalled: Readonly<Record<string, string>> = { token_life_seconds: "access_token_seconds" };

export type Limits = typeof defaults;

export interface AdjustableLimits {
  current(): Limits;
  /** Answers what is wrong, or null. */
  change(changes: Record<string, unknown>): string | null;
  reset(): void;
}

export function createLimits(): AdjustableLimits {
  let limits: Limits = { ...defaults };
  return {
    current: () => limits,
    change(wanted) {
      const changes = Object.fromEntries(
        Object.entries(wanted).map(([name, value]) => [alsoCalled[name] ?? name, value]),
      );
      for (const [name, value] of Object.entries(changes)) {
        if (!Object.hasOwn(defaults, name))
          return `There is no limit ${name}; there are ${Object.keys(defaults).join(", ")}.`;
        if (!Number.isInteger(value) || (value as number) < 0) return `${name} is a whole number, 0 or more.`;
      }
      limits = { ...limits, ...(changes as Partial<Limits>) };
      return null;
    },
    reset() {
      limits = { ...defaults };
    },
  };
}
