import type { Option, OptionSource } from "../../define.ts";
import { allPages, pageCaps } from "../../pages.ts";
import { send, type Work } from "../../work.ts";
import { idIn } from "../protocol/ids.ts";
import { listPaging } from "../protocol/list-paging.ts";
import { readReport } from "../protocol/report-answer.ts";
import { listOf, type Members, membersOf, textOf } from "../protocol/vendor-json.ts";
import { currencies } from "./currencies.ts";
import { metadataRequest, readFields } from "./unknown-field.ts";

/** The values of drop-downs, searched over all pages. */

const shownAtOnce = 100;

/** The options that contain every word of the query, prefix matches first, a hundred at a time. */
export function offer(all: readonly Option[], asked: { query: string; after: string | null }) {
  const query = asked.query.trim().toLowerCase();
  const words = query.split(/\s+/).filter((word) => word !== "");
  const textIn = ({ value, label, hint = "" }: Option) => `${value} ${label} ${hint}`.toLowerCase();
  const isFirst = ({ value, label }: Option) => [value, label].some((text) => text.toLowerCase().startsWith(query));
  const found = all.filter((option) => words.every((word) => textIn(option).includes(word)));
  const sorted = query === "" ? found : [...found.filter(isFirst), ...found.filter((option) => !isFirst(option))];
  const from = Number(asked.after ?? 0) || 0;
  const until = from + shownAtOnce;
  return { options: sorted.slice(from, until), next: until < sorted.length ? String(until) : null };
}

const source = (read: (input: Record<string, unknown>) => Work<Option[]>): OptionSource => ({
  *work(asked) {
    return offer(yield* read(asked.input), asked);
  },
});

/** Values that need no request. */
export const listed = (options: () => Option[]): OptionSource =>
  source(function* () {
    yield* [];
    return options();
  });

function* summaries(): Work<Members[]> {
  const wish = { of: "accountSummaries", maxItems: pageCaps.items };
  const { items } = yield* allPages(listPaging("/v1beta/accountSummaries"), wish);
  return items.map(membersOf);
}

export const properties = source(function* () {
  return (yield* summaries()).flatMap((account) =>
    listOf(account.propertySummaries)
      .map(membersOf)
      .map((property) => ({
        value: idIn(textOf(property.property)),
        label: textOf(property.displayName),
        hint: `${textOf(account.displayName)}, ${property.canEdit === true ? "editable" : "to read"}`,
      })),
  );
});

export const accounts = source(function* () {
  return (yield* summaries()).map((account) => ({
    value: idIn(textOf(account.account)),
    label: textOf(account.displayName),
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

/** Event names of the last 30 days, most frequent first. */
export const eventNames = source(function* (input) {
  const id = chosenProperty(input);
  if (id === "0") return [];
  const answer = yield* send(eventNamesRequest(id));
  return readReport(answer.body).rows.map((row) => ({
    value: String(row.eventName),
    label: String(row.eventName),
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
      limit: 10_000,
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
