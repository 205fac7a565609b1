import { describe, expect, test } from "vitest";
import { isDynamic } from "../../src/store/db.ts";
import { claimDeliveries } from "../../src/webhooks/due-deliveries.store.ts";
import { newStore } from "../support/stores.ts";
import { stateIn, stateOfSource } from "./support/find-state.ts";
import { keptInTables, uniqueForAll } from "./support/shared-state/in-tables.ts";
import { keptInTheProcess } from "./support/shared-state/in-the-process.ts";

// "Every limit, budget and cache is keyed by tenant or account."
describe("state in the memory of the process", () => {
  const found = stateOfSource();
  const told = Object.entries(keptInTheProcess).flatMap(([file, names]) =>
    Object.keys(names).map((name) => `${file} ${name}`),
  );

  test("is listed with its key and its bound", () => {
    expect(
      found.filter((each) => !told.includes(each)),
      "say in support/shared-state/ by what it is keyed, and bound it",
    ).toEqual([]);
    for (const [by, bound] of Object.values(keptInTheProcess).flatMap((names) => Object.values(names))) {
      expect(by).not.toBe("");
      expect(bound).not.toBe("");
    }
  });

  test("exists where the list says so", () => {
    expect(told.filter((each) => !found.includes(each))).toEqual([]);
  });

  test.each([
    ["a variable of a module", "let last = 0;", ["last"]],
    ["a cache of a module", "export const kept = new Map<string, number>();", ["kept"]],
    ["a table that somebody changes", "const of = { a: 1 };\nexport const set = () => void (of.a = 2);", ["of"]],
    [
      "a cache of a factory",
      "function make() { const kept = new Map(); return { get: (id) => kept.get(id) }; }",
      ["make.kept"],
    ],
    [
      "a cache in an arrow",
      "const make = () => { const all: A[] = []; return (each) => all.push(each); };",
      ["make.all"],
    ],
    [
      "maps in a map",
      "function make() { const all = new Map(names.map((n) => [n, new Map()])); return () => all; }",
      ["make.all"],
    ],
    [
      "several at once",
      "function make() { const [a, b] = [new Set(), new Set()]; return () => [a, b]; }",
      ["make.a", "make.b"],
    ],
    [
      "what a timer sees",
      "function startAll() { const seen = new Set(); setInterval(() => seen.clear(), 1); }",
      ["startAll.seen"],
    ],
    ["a field", "class Line { readonly #all: A[] = []; }", ["Line.all"]],
    ["a field of a number", "class Line { at = 0; next() { this.at++; } }", ["Line.at"]],
    ["a field that the constructor fills", "class Line { constructor() { this.all = new Map(); } }", ["Line.all"]],
    ["a field of a class without a name", "const Line = class { #all = new Set(); };", ["Line.all"]],
    ["a number of a factory", "function make() { let last = 0; return { next: () => ++last }; }", ["make.last"]],
    [
      "several that are assigned at once",
      "function make() { let [a, b] = [0, 0]; return () => { [a, b] = [b, a]; }; }",
      ["make.a", "make.b"],
    ],
    [
      "a cache of a library",
      "const make = () => { const kept = new LRUCache({ max: 5 }); return { get: (id) => kept.get(id) }; };",
      ["make.kept"],
    ],
    ["a cache of a library, of a module", "export const kept = new LRUCache<string, number>({ max: 5 });", ["kept"]],
    [
      "an object without a prototype",
      "function make() { const kept = Object.create(null); return (id) => kept[id]; }",
      ["make.kept"],
    ],
    [
      "a list that is made full",
      "function make() { const all = Array.from({ length: 3 }); return (i) => { all[i] = i; }; }",
      ["make.all"],
    ],
  ])("is found: %s", (_, source, names) => {
    expect(stateIn(source)).toEqual(names);
  });

  test.each([
    ["a table that nobody changes", "const words = new Set(['a']);\nconst max = { a: 1 };"],
    [
      "what one call has to itself",
      "function sum(all) { const seen = new Set(); for (const a of all) seen.add(a); return seen.size; }",
    ],
    ["a number that one call counts", "function sum(all) { let n = 0; for (const a of all) n += a; return n; }"],
    ["a field that only the constructor sets", "class Line { at = 0; constructor(at) { this.at = at; } }"],
    [
      "what a call fills by a callback",
      "function seen(all) { const ids = new Set(); all.forEach((a) => ids.add(a)); return ids; }",
    ],
  ])("is not: %s", (_, source) => {
    expect(stateIn(source)).toEqual([]);
  });

  test("contains no SQL statement whose text grows with a tenant's data", async () => {
    const store = await newStore("sqlite");
    const texts: string[] = [];
    await store.transaction(async (db) => {
      const watched: typeof db = {
        ...db,
        query: (sql, values) => {
          texts.push(sql);
          return db.query(sql, values);
        },
      };
      await claimDeliveries(watched, "2026-01-01", "2026-01-02", ["delivery_a", "delivery_b"], 5);
    });
    expect(texts.map(isDynamic)).toEqual([true]);
  });
});

describe("state in the tables", () => {
  test("names the tenant of each row, or says why it has none", async () => {
    const tables = await readTables();
    expect(Object.keys(keptInTables).sort()).toEqual(tables.map(({ name }) => name));
    for (const { name, columns } of tables) {
      const whose = keptInTables[name];
      if (whose && "column" in whose) expect(columns, name).toContain(whose.column);
    }
  });

  test("is unique within a tenant, or by what no tenant chooses", async () => {
    const found = (await readTables()).flatMap(({ name, unique }) => {
      const whose = keptInTables[name];
      const isWithin = (columns: string[]) => whose && "column" in whose && columns.includes(whose.column);
      return unique.filter((columns) => !isWithin(columns)).map((columns) => `${name} (${columns.join(", ")})`);
    });
    expect(Object.keys(uniqueForAll).sort()).toEqual([...new Set(found)].sort());
  });
});

interface Table {
  name: string;
  columns: string[];
  /** The columns of each unique index, the primary key included. */
  unique: string[][];
}

async function readTables(): Promise<Table[]> {
  const store = await newStore("sqlite");
  const namesIn = async (sql: string, of: string) =>
    (await store.query<{ name: string }>(sql, [of])).map(({ name }) => name);
  const tables = await namesIn("select name from sqlite_master where type = $1 order by name", "table");
  return Promise.all(
    tables.map(async (name) => {
      const indexes = await namesIn(`select name from pragma_index_list($1) where "unique" = 1`, name);
      return {
        name,
        columns: await namesIn("select name from pragma_table_info($1)", name),
        unique: await Promise.all(
          indexes.map((index) => namesIn("select name from pragma_index_info($1) order by seqno", index)),
        ),
      };
    }),
  );
}
