/** What a report asks, as the address holds it and as the step takes it. */

export interface Source {
  account: string;
  property: string;
}

export interface FilterRow {
  field: string;
  operator: string;
  value: string;
}

export interface Settings {
  sources: Source[];
  metrics: string[];
  dimensions: string[];
  from: string;
  to: string;
  filters: FilterRow[];
  rows: number;
}

export const sourcesMax = 4;
export const rowChoices = [100, 1000, 10_000];

export const presets: { value: string; label: string; from: string; to: string }[] = [
  { value: "today", label: "Today", from: "today", to: "today" },
  { value: "yesterday", label: "Yesterday", from: "yesterday", to: "yesterday" },
  { value: "7", label: "Last 7 days", from: "7daysAgo", to: "yesterday" },
  { value: "28", label: "Last 28 days", from: "28daysAgo", to: "yesterday" },
  { value: "90", label: "Last 90 days", from: "90daysAgo", to: "yesterday" },
  { value: "365", label: "Last 365 days", from: "365daysAgo", to: "yesterday" },
];

export const presetOf = ({ from, to }: Pick<Settings, "from" | "to">) =>
  presets.find((preset) => preset.from === from && preset.to === to);

export const defaults: Settings = {
  sources: [],
  metrics: ["activeUsers", "sessions"],
  dimensions: ["date"],
  from: "28daysAgo",
  to: "yesterday",
  filters: [],
  rows: 1000,
};

type Address = Record<string, unknown>;

export function readSettings(address: Address): Settings {
  const words = (name: string, otherwise: string[]) =>
    address[name] === undefined ? otherwise : textIn(address, name).split(",").filter(Boolean);
  const rows = Number(textIn(address, "rows"));
  return {
    sources: words("source", [])
      .slice(0, sourcesMax)
      .map((text) => {
        const [account = "", property = ""] = text.split(":");
        return { account, property };
      }),
    metrics: words("metrics", defaults.metrics),
    dimensions: words("by", defaults.dimensions),
    from: textIn(address, "from") || defaults.from,
    to: textIn(address, "to") || defaults.to,
    filters: filtersIn(textIn(address, "filters")),
    rows: rowChoices.includes(rows) ? rows : defaults.rows,
  };
}

/** All members that differ from the default; the others are removed from the address. */
export function writeSettings(settings: Settings): Record<string, string> {
  const { sources, metrics, dimensions, from, to, filters, rows } = settings;
  // An empty list is written as a comma: without the member, the default would apply again.
  const list = (words: string[], otherwise: string[]) => (words.join() === otherwise.join() ? "" : words.join() || ",");
  return {
    source: sources.map(({ account, property }) => `${account}:${property}`).join(","),
    metrics: list(metrics, defaults.metrics),
    by: list(dimensions, defaults.dimensions),
    from: from === defaults.from ? "" : from,
    to: to === defaults.to ? "" : to,
    filters: filters.length === 0 ? "" : JSON.stringify(filters.map((row) => [row.field, row.operator, row.value])),
    rows: rows === defaults.rows ? "" : String(rows),
  };
}

const textIn = (address: Address, name: string): string => String(address[name] ?? "");

function filtersIn(text: string): FilterRow[] {
  try {
    const rows = JSON.parse(text || "[]") as unknown;
    return (Array.isArray(rows) ? rows : [])
      .filter((row) => Array.isArray(row))
      .map(([field, operator, value]: unknown[]) => ({
        field: String(field ?? ""),
        operator: String(operator ?? "equals"),
        value: String(value ?? ""),
      }));
  } catch {
    return [];
  }
}

export const operators: { value: string; label: string; hint?: string }[] = [
  { value: "equals", label: "is" },
  { value: "not_equals", label: "is not" },
  { value: "contains", label: "contains" },
  { value: "begins_with", label: "begins with" },
  { value: "ends_with", label: "ends with" },
  { value: "matches", label: "matches the pattern", hint: "A regular expression" },
  { value: "in", label: "is one of", hint: "Commas between the values" },
  { value: "greater_than", label: "is greater than" },
  { value: "less_than", label: "is less than" },
  { value: "between", label: "is between", hint: "Two numbers with a comma" },
  { value: "is_empty", label: "is empty" },
];

/** A report over time reads best in its order. */
const timeDimensions = [
  "date",
  "dateHour",
  "dateHourMinute",
  "yearMonth",
  "yearWeek",
  "isoYearIsoWeek",
  "year",
  "nthDay",
];
export const timeDimensionOf = (dimensions: readonly string[]): string | undefined =>
  dimensions.find((name) => timeDimensions.includes(name));

/** The input of the step for one source. */
export function inputOf(settings: Settings, { property }: Source): Record<string, unknown> {
  const { metrics, dimensions, from, to, rows } = settings;
  const filters = settings.filters.filter(isWhole).map(toFilter);
  const time = timeDimensionOf(dimensions);
  return {
    property_id: property,
    metrics,
    ...(dimensions.length > 0 ? { dimensions } : {}),
    date_range: { start_date: from, end_date: to },
    ...(filters.length > 0 ? { filters } : {}),
    ...(time === undefined ? {} : { order_by: [{ field: time }] }),
    limit: rows,
  };
}

const isWhole = ({ field, operator, value }: FilterRow): boolean =>
  field !== "" && (operator === "is_empty" || value.trim() !== "");

function toFilter({ field, operator, value }: FilterRow) {
  if (operator === "is_empty") return { field, operator };
  const isList = operator === "in" || operator === "between";
  return { field, operator, value: isList ? value.split(",").map((part) => part.trim()) : value };
}

/** "Active users and Sessions by date, last 28 days": the title of a saved report. */
export function titleOf({ metrics, dimensions, from, to }: Settings, nameOf: (field: string) => string): string {
  const by = dimensions.length === 0 ? "" : ` by ${dimensions.map((name) => nameOf(name).toLowerCase()).join(", ")}`;
  const when = presetOf({ from, to })?.label.toLowerCase() ?? `${from} to ${to}`;
  return `${metrics.map(nameOf).join(", ")}${by}, ${when}`;
}

const expressed = ["property_id", "metrics", "dimensions", "date_range", "order_by", "limit"];

/** The address's query for a report that ran, or null where it asked something that this page does not offer. */
export function queryOfRun(run: { run_id: string; connection_id: string | null; params: unknown }): string | null {
  const asked = (run.params ?? {}) as Record<string, unknown>;
  const dates = asked.date_range as { start_date?: string; end_date?: string } | undefined;
  if (!dates || Object.keys(asked).some((name) => !expressed.includes(name))) return null;
  const members = {
    source: `${run.connection_id}:${String(asked.property_id).replace(/^properties\//, "")}`,
    metrics: (asked.metrics as string[]).join(","),
    by: ((asked.dimensions as string[] | undefined) ?? []).join(",") || ",",
    from: dates.start_date ?? "",
    to: dates.end_date ?? "",
    runs: run.run_id,
  };
  return new URLSearchParams(members).toString();
}
