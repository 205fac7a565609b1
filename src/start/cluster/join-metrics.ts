import { pauseName } from "../../http/pause-metric.ts";

type Rule = "sum" | "greatest" | "least";

/**
 * How a gauge of several processes becomes one. What each process holds is added. What all of them read from the same
 * store is the same number, but for a moment. Counters and histograms are always added.
 */
export const gaugeRules: Record<string, Rule> = {
  nodejs_eventloop_lag_seconds: "greatest",
  nodejs_eventloop_lag_max_seconds: "greatest",
  nodejs_eventloop_lag_p50_seconds: "greatest",
  nodejs_eventloop_lag_p90_seconds: "greatest",
  nodejs_eventloop_lag_p99_seconds: "greatest",
  nodejs_external_memory_bytes: "sum",
  nodejs_heap_size_total_bytes: "sum",
  nodejs_heap_size_used_bytes: "sum",
  nodejs_version_info: "greatest",
  process_max_fds: "least",
  process_open_fds: "sum",
  process_resident_memory_bytes: "sum",
  process_start_time_seconds: "least",
  signalbox_body_bytes: "sum",
  signalbox_response_bytes: "sum",
  signalbox_connections: "sum",
  signalbox_connections_refused: "sum",
  signalbox_limit_waiting: "sum",
  signalbox_mails_waiting: "greatest",
  signalbox_processes: "sum",
  signalbox_runs: "greatest",
  signalbox_runs_oldest_queued_seconds: "greatest",
  signalbox_store_up: "least",
  signalbox_webhook_deliveries_pending: "greatest",
  signalbox_webhook_oldest_due_seconds: "greatest",
  [`${pauseName}_worst`]: "greatest",
  [`${pauseName}_worst_at`]: "greatest",
};

interface Family {
  type: string;
  /** The lines before its series. */
  heading: string[];
  series: Map<string, number>;
}

type Page = Map<string, Family>;

/** One page of metrics from the pages of several processes, in Prometheus' text format. */
export function joinMetrics(texts: readonly string[]): string {
  const pages = texts.map(readPage);
  keepOneWorstPause(pages);
  const joined: Page = new Map();
  for (const page of pages) for (const [name, family] of page) add(joined, name, family);
  return writePage(joined);
}

/** What stays true of a process after its end: what it has counted. */
export function countersOf(text: string): string {
  const page = readPage(text);
  for (const [name, { type }] of page) if (type === "gauge") page.delete(name);
  return writePage(page);
}

function add(joined: Page, name: string, family: Family): void {
  const known = joined.get(name);
  if (!known) {
    joined.set(name, { ...family, series: new Map(family.series) });
    return;
  }
  const rule = family.type === "gauge" ? (gaugeRules[name] ?? "greatest") : "sum";
  for (const [key, value] of family.series) {
    const other = known.series.get(key);
    known.series.set(key, other === undefined ? value : combine(rule, other, value));
  }
}

function combine(rule: Rule, one: number, other: number): number {
  if (rule === "sum") return one + other;
  return rule === "greatest" ? Math.max(one, other) : Math.min(one, other);
}

/** The longest pause and its time belong together, so both come from one process. */
function keepOneWorstPause(pages: Page[]): void {
  const [worst, worstAt] = [`${pauseName}_worst`, `${pauseName}_worst_at`];
  const lengthIn = (page: Page): number => Math.max(-1, ...(page.get(worst)?.series.values() ?? []));
  const longest = pages.reduce<Page | null>((best, page) => {
    return best === null || lengthIn(page) > lengthIn(best) ? page : best;
  }, null);
  for (const page of pages) {
    if (page === longest) continue;
    page.delete(worst);
    page.delete(worstAt);
  }
}

/** A line is `# TYPE name type`, `# HELP name text` or `series value`; the value is behind the last space. */
function readPage(text: string): Page {
  const page: Page = new Map();
  let family: Family | null = null;
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) {
      const [, word, name = "", type = ""] = line.split(" ", 4);
      family = page.get(name) ?? { type: "untyped", heading: [], series: new Map() };
      page.set(name, family);
      family.heading.push(line);
      if (word === "TYPE") family.type = type;
    } else if (line !== "" && family) {
      const space = line.lastIndexOf(" ");
      family.series.set(line.slice(0, space), numberOf(line.slice(space + 1)));
    }
  }
  return page;
}

/** The words that the format has for numbers which JavaScript writes in another way. */
const words = new Map([
  ["Nan", Number.NaN],
  ["+Inf", Number.POSITIVE_INFINITY],
  ["-Inf", Number.NEGATIVE_INFINITY],
]);

const numberOf = (text: string): number => words.get(text) ?? Number(text);

const textOf = (value: number): string =>
  Number.isFinite(value) ? String(value) : ([...words].find(([, each]) => Object.is(each, value))?.[0] ?? "Nan");

const writePage = (page: Page): string =>
  [...page.values()]
    .filter(({ series }) => series.size > 0)
    .map(({ heading, series }) =>
      [...heading, ...[...series].map(([key, value]) => `${key} ${textOf(value)}`), ""].join("\n"),
    )
    .join("");
