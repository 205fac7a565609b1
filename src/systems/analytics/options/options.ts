import type { Option, OptionSource } from "../../define.ts";
import { allPages } from "../../read-pages.ts";
import { flatMapInSlices, send, type Work } from "../../work.ts";
import { idIn } from "../protocol/ids.ts";
import { listPaging } from "../protocol/list-paging.ts";
import { readReport, rowsIn } from "../protocol/report-answer.ts";
import { listOf, type Members, membersOf, shortOf, textOf } from "../protocol/vendor-json.ts";
import { currencies } from "./currencies.ts";
import { metadataRequest, readFields } from "./unknown-field.ts";

/** The values of drop-downs, searched over all pages. */

const shownAtOnce = 100;

/** The options that contain every word of the query, prefix matches first, a hundred at a time. */
export function* offer(
  all: readonly Option[],
  asked: { query: string; after: string | null },
): Work<{ options: Option[]; next: string | null }> {
  const query = asked.query.trim().toLowerCase();
  const words = query.split(/\s+/).filter((word) => word !== "");
  const isWanted = ({ value, label, hint = "" }: Option): boolean => {
    const text = `${value} ${label} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const isFirst = ({ value, label }: Option) => [value, label].some((text) => text.toLowerCase().startsWith(query));
  const found = words.length === 0 ? all : yield* flatMapInSlices(all, (option) => (isWanted(option) ? [option] : []));
  const sorted = query === "" ? found : [...found.filter(isFirst), ...found.filter((option) => !isFirst(option))];
  const from = Number(asked.after ?? 0) || 0;
  const until = from + shownAtOnce;
  return { options: sorted.slice(from, until), next: until < sorted.length ? String(until) : null };
}

const source = (read: (input: Record<string, unknown>) => Work<Option[]>): OptionSource => ({
  *work(asked) {
    return yield* offer(yield* read(asked.input), asked);
  },
});

/** Values that need no request. */
export const listed = (options: () => Option[]): OptionSource =>
  source(function* () {
    yield* [];
    return options();
  });

/** Nobody has more. */
const offeredMax = 20_000;

function* summaries(): Work<Members[]> {
  const wish = { of: "accountSummaries", maxItems: offeredMax };
  const { items } = yield* allPages(listPaging("/v1beta/accountSummaries"), wish);
  return items.map(membersOf);
}

export const properties = source(function* () {
  let left = offeredMax;
  return yield* flatMapInSlices(yield* summaries(), (account) => {
    const listed = listOf(account.propertySummaries).slice(0, left).map(membersOf);
    left -= listed.length;
    return listed.map((property) => ({
      value: idIn(shortOf(property.property)),
      label: shortOf(property.displayName),
      hint: `${shortOf(account.displayName)}, ${property.canEdit === true ? "editable" : "to read"}`,
    }));
  });
});

export const accounts = source(function* () {
  return (yield* summaries()).map((account) => ({
    value: idIn(shortOf(account.account)),
    label: shortOf(account.displayName),
  }));
});

/** Property 0 has the fields that all properties share: offered while no property is chosen. */
function chosenProperty(input: Record<string, unknown>): string {
  const id = idIn(textOf(input.property_id));
  return /^\d+$/.test(id) ? id : "0";
}

const fields = (kind: "metric" | "dimension"): OptionSource =>
  source(function* (input) {
    const answer = yield* send(metadataRequest(chosenProperty(input)));
    return readFields(answer, kind).map(({ name, title, description, category, olderNames, isBlocked }) => ({
      value: name,
      label: title || name,
      hint: [
        category,
        description,
        ...(olderNames.length > 0 ? [`Older name: ${olderNames.join(", ")}.`] : []),
        ...(isBlocked ? ["Hidden from this account."] : []),
      ].join(". "),
    }));
  });

export const metrics = fields("metric");
export const dimensions = fields("dimension");

export const namesMax = 10_000;

/** Event names of the last 30 days, most frequent first. */
export const eventNames = source(function* (input) {
  const id = chosenProperty(input);
  if (id === "0") return [];
  const answer = yield* send(eventNamesRequest(id));
  return (yield* rowsIn(readReport(answer.body, namesMax))).map((row) => ({
    value: shortOf(row.eventName),
    label: shortOf(row.eventName),
    hint: `${row.eventCount} in 30 days`,
  }));
});

export const eventNamesRequest = (propertyId: string) =>
  ({
    method: "POST",
    api: "data",
    path: `/v1beta/properties/${propertyId}:runReport`,
    body: {
      dateRanges: [{ startDate: "30daysAgo", endDate: "today" }],
      dimensions: [{ name: "eventName" }],
      metrics: [{ name: "eventCount" }],
      limit: namesMax,
      returnPropertyQuota: true,
    },
    effect: "read",
    idempotent: true,
  }) as const;

/** The names are read when they are asked for: that takes 25 ms, which each start would wait for. */
export const currencyOptions = listed(() => {
  const names = new Intl.DisplayNames("en", { type: "currency" });
  return currencies.map((code) => ({ value: code, label: names.of(code) ?? code }));
});
