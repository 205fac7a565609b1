import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import * as z from "zod";
import { canonicalJson } from "../kernel/strict-json.ts";
import { failed } from "./fail-step.ts";
import { stepProblems } from "./step-problems.ts";
import {
  type Answer,
  type EventLoopYield,
  eventLoopYield,
  itemsInSlice,
  type Query,
  StepFailed,
  type StepRequest,
  send,
  type Work,
} from "./work.ts";

/** How one list is paged. A cursor is the system's own, as text. */
export interface Paging {
  /** The page at this cursor; null for the first one. */
  request(cursor: string | null): StepRequest;
  /** The items of a page and the next cursor; null at the end. An empty page may have a next one. */
  read(answer: Answer, cursor: string | null): { items: readonly unknown[]; next: string | null };
  /** If pages can overlap: distinguishes items. Items without an id are all kept. */
  idOf?(item: unknown): string | null;
}

export interface PagesWish {
  /** What the token belongs to, such as `listKey`: it is refused elsewhere. */
  of: string;
  maxItems: number;
  after?: string | undefined;
}

/** A list by its path and all filters: a position in it means nothing in a list with other filters. */
export function listKey({ path, query }: { path: string; query: Query }): string {
  const texts = Object.entries(query).map(([name, value]) => [name, [value].flat().map(String)]);
  return `${path} ${hash("sha256", canonicalJson(Object.fromEntries(texts)), "base64url").slice(0, 16)}`;
}

export interface Paged {
  items: unknown[];
  pages: number;
  /** Continues where this stopped; null when everything was read. */
  next: string | null;
  warnings: string[];
  /** The failure that ended it early, if any. */
  failure: StepFailed | null;
}

export const pageCaps = { items: 100_000, itemsDefault: 10_000, pages: 1_000, bytes: 8 * 1024 * 1024 } as const;

/** A server may be generous, and still not send a hundred thousand rows where a hundred were asked for. */
const pageTolerance = 10;

/**
 * The rows of a page for which so many were asked. A system that sends many times as many is refused: to read them all would
 * keep the event loop from everybody else.
 */
export function pageRowsIn(rows: unknown, asked: number): readonly unknown[] {
  if (!Array.isArray(rows)) return [];
  if (rows.length <= asked * pageTolerance) return rows;
  const detail = `The system returned ${rows.length} rows where ${asked} were asked for.`;
  throw new StepFailed(failed("system_unavailable", "give up", detail), null);
}

/** Members of every step with `all_pages`. */
export const pagesInput = {
  all_pages: z.boolean().optional().meta({
    title: "All pages",
    description: "Follows the pages of a list and returns all items together.",
  }),
  max_items: z
    .int()
    .min(1)
    .max(pageCaps.items)
    .optional()
    .meta({
      title: "At most so many items",
      description: `With \`all_pages\`: stops there and says how to continue. Default: ${pageCaps.itemsDefault}.`,
    }),
  after: z.string().max(32_768).optional().meta({
    title: "Continue after",
    description: "With `all_pages`: the token of an earlier response that stopped at a cap.",
  }),
};

/** A resume token implies all pages. */
export const wantsAllPages = (input: { all_pages?: boolean | undefined; after?: string | undefined }): boolean =>
  input.all_pages === true || (input.all_pages === undefined && input.after !== undefined);

/** Where a reading stopped: in the page at `cursor`, after `skip` of its items, the last of which was `last`. */
interface Position {
  cursor: string | null;
  skip: number;
  last: string | null;
}

const firstPosition: Position = { cursor: null, skip: 0, last: null };

/**
 * Reads page after page, up to the caps. A temporary failure (a limit, an outage) ends it early and keeps what was
 * read: losing a long reading is worse than continuing it.
 */
export function* allPages(paging: Paging, wish: PagesWish): Work<Paged> {
  const collected = createCollector(paging, wish.maxItems);
  const seen = new Set<string | null>();
  let position = wish.after === undefined ? firstPosition : requirePosition(wish.after, wish.of);
  let pages = 0;
  const stop = (next: Position | null, why?: string, failure: StepFailed | null = null): Paged => ({
    items: collected.items,
    pages,
    next: next && writePosition(next, wish.of),
    warnings: why === undefined ? [] : [why],
    failure,
  });
  for (;;) {
    if (pages === pageCaps.pages) return stop(position, `Stopped after ${pages} pages. ${goOn}`);
    const answer = yield* readOrStop(paging.request(position.cursor), pages > 0);
    if (answer instanceof StepFailed) return stop(position, `Stopped early: ${answer.message} ${goOn}`, answer);
    pages++;
    seen.add(position.cursor);
    const page = paging.read(answer, position.cursor);
    const countBefore = collected.items.length;
    const start = startOf(page.items, position, paging.idOf);
    const cut = yield* collected.add(page.items.slice(start), { ...position, skip: start }, answer.bytes);
    if (cut) return stop(cut.position, `${cut.why} ${goOn}`);
    if (page.next === null) return stop(null);
    const isRepeat = start < page.items.length && collected.items.length === countBefore;
    if (isRepeat || seen.has(page.next)) return stop(null, "The system repeated a page, so the reading ended there.");
    // Pages may be smaller than before: the rest of the items to skip is on the next one.
    const skip = Math.max(0, start - page.items.length);
    position = { cursor: page.next, skip, last: skip > 0 ? position.last : null };
    if (collected.isFull()) return stop(position, `Stopped at ${wish.maxItems} items. ${goOn}`);
  }
}

const goOn = "There may be more: call again with `after`.";

function* readOrStop(request: StepRequest, hasItems: boolean): Work<Answer | StepFailed> {
  try {
    return yield* send(request);
  } catch (error) {
    if (hasItems && error instanceof StepFailed && stepProblems[error.failure.code].retry === "later") return error;
    throw error;
  }
}

/** Where a cap ended the reading. */
interface Cut {
  position: Position;
  why: string;
}

/** To collect an item takes less than to read one. */
const collectedInSlice = 10 * itemsInSlice;
/** To write a megabyte takes a few milliseconds. */
const measuredInSlice = 1024 * 1024;

/** The items so far, each once, within the caps. */
function createCollector({ idOf }: Paging, itemsMax: number) {
  const items: unknown[] = [];
  const ids = new Set<string>();
  let bytes = 0;
  return {
    items,
    isFull: () => items.length >= itemsMax,
    *add(
      page: readonly unknown[],
      position: Position,
      pageBytes: number,
    ): Generator<EventLoopYield, Cut | null, Answer> {
      // Items are measured one by one only if the whole page might exceed the cap: that is expensive.
      const isTight = bytes + pageBytes > pageCaps.bytes;
      if (!isTight) bytes += pageBytes;
      let last: string | null = position.last;
      let bytesInSlice = 0;
      for (const [index, item] of page.entries()) {
        if (index % collectedInSlice === collectedInSlice - 1 || bytesInSlice > measuredInSlice) {
          yield eventLoopYield;
          bytesInSlice = 0;
        }
        const at: Position = { cursor: position.cursor, skip: position.skip + index, last };
        if (items.length >= itemsMax) return { position: at, why: `Stopped at ${itemsMax} items.` };
        if (isTight) {
          const size = Buffer.byteLength(JSON.stringify(item) ?? "");
          bytes += size;
          bytesInSlice += size;
          // One item always fits: otherwise a reading could never advance.
          if (bytes > pageCaps.bytes && items.length > 0) return { position: at, why: "Stopped at 8 MiB of items." };
        }
        last = idOf?.(item) ?? null;
        if (last !== null && ids.has(last)) continue;
        if (last !== null) ids.add(last);
        items.push(item);
      }
      return null;
    },
  };
}

/** The position after the last returned item, even if newer items have moved it. */
function startOf(page: readonly unknown[], position: Position, idOf: Paging["idOf"]): number {
  if (position.last === null || !idOf) return position.skip;
  const found = page.findIndex((item) => idOf(item) === position.last);
  return found < 0 ? position.skip : found + 1;
}

const MarkText = z.tuple([z.literal(1), z.string(), z.string().nullable(), z.int().min(0), z.string().nullable()]);

const writePosition = ({ cursor, skip, last }: Position, of: string): string =>
  Buffer.from(JSON.stringify([1, of, cursor, skip, last])).toString("base64url");

function readPosition(token: string, of: string): Position | null {
  try {
    const read = MarkText.safeParse(JSON.parse(Buffer.from(token, "base64url").toString()));
    if (!read.success || read.data[1] !== of) return null;
    const [, , cursor, skip, last] = read.data;
    return { cursor, skip, last };
  } catch {
    // Not a token of ours: the caller refuses it.
    return null;
  }
}

/** What is wrong with a token, for the input schema; null if it is one of ours for exactly this list. */
export const refuseAfter = (token: string, of: string): string | null =>
  readPosition(token, of) ? null : "Send the token that an earlier call for the same list returned, or leave it out.";

function requirePosition(token: string, of: string): Position {
  const position = readPosition(token, of);
  if (!position) throw new Error("A resume token that was not checked.");
  return position;
}
