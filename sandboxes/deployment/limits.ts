/** Everything a test may want to turn: the vendor's rates, how long builds take, how long tokens live. */
export const defaultLimits = {
  // Rates, as documented for the pro plan. A project read, a project write and "other" are not documented: assumed.
  deployments_list_per_minute: 1000,
  deployments_read_per_minute: 500,
  deployments_created_per_hour: 450,
  deployments_created_per_day: 6000,
  deployments_deleted_per_10_minutes: 200,
  projects_read_per_minute: 500,
  projects_write_per_minute: 120,
  env_list_per_minute: 500,
  env_create_per_minute: 120,
  env_update_per_minute: 120,
  env_delete_per_minute: 60,
  project_domains_per_minute: 100,
  domains_read_per_minute: 500,
  team_read_per_minute: 600,
  members_read_per_minute: 120,
  user_read_per_minute: 500,
  runtime_logs_per_minute: 100,
  webhooks_created_per_minute: 20,
  other_per_minute: 500,
  // Builds.
  queued_seconds: 2,
  initializing_seconds: 1,
  building_seconds: 5,
  alias_seconds: 1,
  concurrent_builds: 12,
  /** A cancel this close to the end is answered with CANCELED, and the build ends all the same. */
  cancel_race_seconds: 0,
  /** How long a new domain's TXT record takes to be seen. */
  domain_dns_seconds: 60,
  // Grants. No expiry is documented for installation tokens: 0 is never.
  token_life_seconds: 0,
  code_life_seconds: 1800,
  // Webhooks.
  webhooks_per_team: 20,
  /** 1 lets installations register account webhooks. No permission of an integration is documented for them. */
  installation_webhooks: 0,
  webhook_timeout_seconds: 30,
  webhook_first_retry_seconds: 60,
  webhook_retries_for_hours: 24,
};

export type Limits = typeof defaultLimits;

/** Takes over known numbers, or answers what is wrong and changes nothing. */
export function changeLimits(limits: Limits, wanted: Record<string, unknown>): string | null {
  for (const [name, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(defaultLimits, name)) {
      return `There is no limit \`${name}\`; there are ${Object.keys(defaultLimits).join(", ")}.`;
    }
    if (typeof value !== "number" || !(value >= 0)) return `\`${name}\` is a number, 0 or more.`;
  }
  Object.assign(limits, wanted);
  return null;
}
