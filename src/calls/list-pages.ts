import * as z from "zod";
import type { FoundRows } from "../store/search-rows.ts";

/** Members that every list takes. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(50).meta({ description: "How many at most" }),
  after: z
    .string()
    .regex(/^[\x21-\x7e]{0,200}$/)
    .nullish()
    .meta({ description: "The `next` of the page before" }),
};

export const pageOutput = <T extends z.ZodType>(record: T) =>
  z.object({ results: z.array(record), next: z.string().nullable().meta({ description: "Null on the last page" }) });

export interface PageInput {
  limit: number;
  after?: string | null | undefined;
}

/** Reads one row more than the caller asked for: it shows whether there is a next page. */
export const onePageOf = (input: PageInput) => ({
  after: input.after ?? "",
  limit: input.limit + 1,
});

/** `cursorOf` names a row, so that the next page starts after it. */
export function toPage<Row, Wire>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  toWire: (row: Row) => Wire,
): { results: Wire[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { results: shown.map(toWire), next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** A page that stopped after so many rows goes on behind them. */
export function toSearchedPage<Row, Wire>(
  { rows, searchedTo }: FoundRows<Row>,
  limit: number,
  cursorOf: (row: Row) => string,
  toWire: (row: Row) => Wire,
): { results: Wire[]; next: string | null } {
  const page = toPage(rows, limit, cursorOf, toWire);
  return { ...page, next: page.next ?? searchedTo };
}

/** Says so in the description of a list. */
export const shortPages = (rows: string): string =>
  `With a filter, one page reads at most ${rows}, so it may be short or empty and still have a \`next\`.`;

/** A page of a list that is in memory as a whole. After an unknown cursor comes an empty page. */
export function pageAmong<T>(
  all: readonly T[],
  { limit, after }: PageInput,
  cursorOf: (item: T) => string,
): { results: T[]; next: string | null } {
  const start = after ? all.findIndex((item) => cursorOf(item) === after) + 1 || all.length : 0;
  return toPage(all.slice(start, start + limit + 1), limit, cursorOf, (item) => item);
}
