import { describe, expect, test } from "vitest";
import { emptyAnswer } from "./drive.ts";
import { failed } from "./fail-step.ts";
import { allPages, type Paged, type PagesWish, type Paging, pageCaps, refuseAfter } from "./read-pages.ts";
import { type Answer, StepFailed } from "./work.ts";

interface Item {
  id: number;
  text?: string;
}

const request = (cursor: string | null) =>
  ({ method: "GET", api: "main", path: `/list/${cursor ?? "first"}`, effect: "read", idempotent: true }) as const;

/** A list in memory, `size` items a page; the cursor is the index where a page begins. */
function pagingOf(items: readonly Item[], size: number): Paging {
  return {
    request,
    read(answer, cursor) {
      const from = Number(cursor ?? 0);
      const next = from + size < items.length ? String(from + size) : null;
      return { items: answer.body as Item[], next };
    },
    idOf: (item) => String((item as Item).id),
  };
}

function read(paging: Paging, answerOf: (cursor: string | null) => Item[] | StepFailed, wish: Partial<PagesWish> = {}) {
  const work = allPages(paging, { of: "/list", maxItems: pageCaps.itemsDefault, ...wish });
  const asked: string[] = [];
  let turn = work.next();
  while (!turn.done) {
    if ("yieldsEventLoop" in turn.value) {
      turn = work.next(emptyAnswer);
      continue;
    }
    if (!("path" in turn.value)) throw new Error("Paging does not pause.");
    const cursor = turn.value.path.slice("/list/".length);
    asked.push(cursor);
    const body = answerOf(cursor === "first" ? null : cursor);
    turn = body instanceof StepFailed ? work.throw(body) : work.next(answer(body));
  }
  return { ...turn.value, asked } satisfies Paged & { asked: string[] };
}

const answer = (body: unknown): Answer => ({ status: 200, headers: {}, body, bytes: JSON.stringify(body).length });
const numbered = (count: number): Item[] => Array.from({ length: count }, (_, id) => ({ id }));
const pageOf = (items: readonly Item[], size: number) => (cursor: string | null) =>
  items.slice(Number(cursor ?? 0), Number(cursor ?? 0) + size);
const down = (code: "rate_limited" | "invalid_there") => new StepFailed(failed(code, "give up", "It said no."), null);

describe("all pages", () => {
  test("a list is read to its end, and says so", () => {
    const items = numbered(25);
    const all = read(pagingOf(items, 10), pageOf(items, 10));
    expect(all).toEqual({ items, pages: 3, next: null, warnings: [], failure: null, asked: ["first", "10", "20"] });
  });

  test("an empty page is not the end if the system names a next one", () => {
    const paging: Paging = {
      request,
      read: (_, cursor) => ({
        items: cursor === "b" ? [1] : [],
        next: { first: "a", a: "b", b: null }[cursor ?? "first"] ?? null,
      }),
    };
    expect(read(paging, () => [])).toMatchObject({ items: [1], pages: 3, next: null });
  });

  test("it stops at max_items, even within a page, and continues there without loss or repeat", () => {
    const items = numbered(25);
    const seen: unknown[] = [];
    let after: string | undefined;
    const stops: number[] = [];
    do {
      const part = read(pagingOf(items, 10), pageOf(items, 10), { maxItems: 7, after });
      seen.push(...part.items);
      stops.push(part.items.length);
      if (part.next !== null) expect(part.warnings).toEqual([expect.stringContaining("Stopped at 7 items.")]);
      after = part.next ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(items);
    expect(stops).toEqual([7, 7, 7, 4]);
  });

  test("it continues at the right position with smaller pages too", () => {
    const items = numbered(40);
    const bare = (size: number): Paging => ({ request, read: pagingOf(items, size).read });
    const first = read(bare(20), pageOf(items, 20), { maxItems: 15 });
    const rest = read(bare(4), pageOf(items, 4), { after: first.next ?? "" });
    expect([...first.items, ...rest.items]).toEqual(items);
  });

  test("max_items at the end of the list leaves no resume token", () => {
    const items = numbered(20);
    expect(read(pagingOf(items, 10), pageOf(items, 10), { maxItems: 20 }).next).toBe(null);
  });

  test("newer records between two readings do not cause repeated items", () => {
    const items = numbered(9);
    const first = read(pagingOf(items, 10), pageOf(items, 10), { maxItems: 4 });
    const grown = [{ id: 100 }, ...items];
    const rest = read(pagingOf(grown, 10), pageOf(grown, 10), { after: first.next ?? "" });
    expect(rest.items).toEqual(items.slice(4));
  });

  test("records on two pages are returned once", () => {
    const pages: Record<string, Item[]> = { first: [{ id: 1 }, { id: 2 }], "10": [{ id: 2 }, { id: 3 }] };
    const paging = { ...pagingOf(numbered(20), 10) };
    expect(read(paging, (cursor) => pages[cursor ?? "first"] ?? []).items).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  test("a system that repeats a cursor does not make it read for ever", () => {
    const paging: Paging = { request, read: () => ({ items: [1], next: "again" }) };
    const all = read(paging, () => []);
    expect(all).toMatchObject({ pages: 2, next: null, warnings: [expect.stringContaining("repeated a page")] });
  });

  test("it stops after 1,000 pages and at 8 MiB, each time with a resume token", () => {
    const endless: Paging = { request, read: (_, cursor) => ({ items: [], next: String(Number(cursor ?? 0) + 1) }) };
    expect(read(endless, () => [])).toMatchObject({ pages: 1000, next: expect.any(String) });
    const large = Array.from({ length: 40 }, (_, id) => ({ id, text: "x".repeat(1024 * 512) }));
    const part = read(pagingOf(large, 10), pageOf(large, 10));
    expect(JSON.stringify(part.items).length).toBeLessThan(pageCaps.bytes + 1024);
    const rest = read(pagingOf(large, 10), pageOf(large, 10), { after: part.next ?? "" });
    expect(rest.items[0]).toMatchObject({ id: part.items.length });
  });

  test("an outage late in a long reading keeps what was read; a refusal does not hide behind it", () => {
    const items = numbered(30);
    const breaking = (code: "rate_limited" | "invalid_there") => (cursor: string | null) =>
      cursor === "20" ? down(code) : pageOf(items, 10)(cursor);
    const part = read(pagingOf(items, 10), breaking("rate_limited"));
    expect(part).toMatchObject({ pages: 2, warnings: [expect.stringContaining("Stopped early: It said no.")] });
    expect(part.items).toHaveLength(20);
    const rest = read(pagingOf(items, 10), pageOf(items, 10), { after: part.next ?? "" });
    expect(rest.items).toEqual(items.slice(20));
    expect(() => read(pagingOf(items, 10), breaking("invalid_there"))).toThrow(StepFailed);
    expect(() => read(pagingOf(items, 10), () => down("rate_limited"))).toThrow(StepFailed);
  });

  test.each([
    "",
    "x",
    "W10",
    Buffer.from('[1,"/other",null,0,null]').toString("base64url"),
    Buffer.from('[2,"/list",null,0,null]').toString("base64url"),
  ])("a token that is none of this list is refused: %j", (token) =>
    expect(refuseAfter(token, "/list")).toBeTypeOf("string"),
  );
});
