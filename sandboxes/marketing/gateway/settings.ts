/** Every limit and switch of the instance, settable by name through the control API. Null lifts a limit altogether. */
export const defaultSettings = {
  rate_calls: 100 as number | null,
  rate_seconds: 20,
  concurrent_calls: 10 as number | null,
  daily_calls: 50_000 as number | null,
  token_life_seconds: 3600,
  uri_bytes: 8192,
  body_bytes: 1024 * 1024,
  bulk_body_bytes: 10 * 1024 * 1024,
  batch_rows: 300,
  lead_matches: 1000,
  activity_type_ids: 10,
  activity_lead_ids: 30,
  activity_list_leads: 10_000,
  /** How far into the log one activity call looks; a narrow filter can so get an empty page with more to come. */
  activity_scan_rows: 10_000,
  trigger_leads: 100,
  trigger_tokens: 100,
  schedule_clones_per_day: 20,
  asset_page_rows: 200,
  exports_running: 2,
  exports_queued: 10,
  export_bytes_per_day: 500 * 1024 * 1024,
  /** Every call takes this long and stays in flight for it. */
  latency_ms: 0,
  /** Old clients put the token into the address; the vendor is withdrawing that, so it is off. */
  accept_query_token: false,
  /** The four paths and the one parameter that only our requirement names; off, they answer as the vendor would. */
  undocumented_paths: true,
};

export type Settings = typeof defaultSettings;

const liftable = new Set<string>(["rate_calls", "concurrent_calls", "daily_calls"]);

/** Changes settings by name, all or none; answers the sentence that says what is wrong, or null. */
export function changeSettings(settings: Settings, wanted: Record<string, unknown>): string | null {
  for (const [name, value] of Object.entries(wanted)) {
    const problem = problemWith(name, value);
    if (problem) return problem;
  }
  Object.assign(settings, wanted);
  return null;
}

function problemWith(name: string, value: unknown): string | null {
  if (!Object.hasOwn(defaultSettings, name)) {
    return `There is no limit \`${name}\`; there are ${Object.keys(defaultSettings).join(", ")}, and revoke_tokens.`;
  }
  if (typeof defaultSettings[name as keyof Settings] === "boolean") {
    return typeof value === "boolean" ? null : `\`${name}\` is true or false.`;
  }
  if (value === null && liftable.has(name)) return null;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  return isCount
    ? null
    : `\`${name}\` is a whole number, 0 or more${liftable.has(name) ? ", or null for no limit" : ""}.`;
}
