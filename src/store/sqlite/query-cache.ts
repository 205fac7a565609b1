import type { DatabaseSync } from "node:sqlite";
import { isDynamic, type Row, type Value } from "../db.ts";

/** The limit is small: most callers repeat a few short queries. */
const cachedMax = 5000;
const cachedRowsMax = 20;

type Run = (sql: string, values: readonly Value[]) => Row[];

/** A trie of the parameter values. Joining them into one key would cost more than following it. */
interface CacheNode {
  next: Map<Value, CacheNode>;
  rows: Row[] | null;
}

/**
 * Caches the results of queries outside transactions, until a commit changes one of their tables, or another process
 * commits anything. SQLite's data version is read once per turn of the event loop with requests, and at the start of
 * every batch of transactions. So a key is verified without reading the tables again (measured on an authenticated
 * call: 40 us against 10), even while every call writes a run, and once more inside a change.
 */
export function createQueryCache(database: DatabaseSync) {
  const versionOf = database.prepare("pragma data_version");
  versionOf.setReturnArrays(true);
  const results = new Map<string, CacheNode>();
  const writtenBy = new Map<string, string | null>();
  const wordsOf = new Map<string, ReadonlySet<string>>();
  const written = new Set<string>();
  let size = 0;
  let wroteAnything = false;
  let version: unknown;

  /**
   * Whether the statement names a table that was written to. A word that only looks like a table's name costs one
   * query, no more.
   */
  function names(sql: string): boolean {
    let words = wordsOf.get(sql);
    if (!words) {
      words = new Set(sql.match(/[a-z_]+/g));
      wordsOf.set(sql, words);
    }
    for (const table of written) if (words.has(table)) return true;
    return false;
  }

  function clear(): void {
    results.clear();
    size = 0;
  }

  function find(sql: string, values: readonly Value[]): Row[] | null {
    let node = results.get(sql);
    for (let index = 0; node && index < values.length; index++) node = node.next.get(values[index] ?? null);
    return node?.rows ?? null;
  }

  function store(sql: string, values: readonly Value[], rows: Row[]): void {
    // Tables are found by their lower-case names.
    if (rows.length > cachedRowsMax || /[A-Z]/.test(sql)) return;
    if (++size > cachedMax) clear();
    let node = childOf(results, sql);
    for (const value of values) node = childOf(node.next, value);
    node.rows = rows;
  }

  function read(sql: string, values: readonly Value[], run: Run): Row[] {
    const before = find(sql, values);
    if (before) return before.slice();
    const rows = run(sql, values);
    store(sql, values, rows);
    return rows.slice();
  }

  return {
    /** Call it before a transaction's statement writes. */
    recordWrite(sql: string): void {
      let table = writtenBy.get(sql);
      if (table === undefined) {
        table = tableWrittenBy(sql);
        if (!isDynamic(sql)) writtenBy.set(sql, table);
      }
      if (table === null) wroteAnything = true;
      else written.add(table);
    },
    /** Inside a transaction: queries on tables written since its start go to the database. */
    readInTransaction(sql: string, values: readonly Value[], run: Run): Row[] {
      const mayHaveChanged = wroteAnything || isDynamic(sql) || names(sql);
      return mayHaveChanged ? run(sql, values) : read(sql, values, run);
    },
    /** Everything recorded since the last call is now committed or rolled back. */
    invalidateWritten(): void {
      if (wroteAnything) clear();
      else if (written.size > 0) {
        for (const sql of results.keys()) if (names(sql)) results.delete(sql);
      }
      written.clear();
      wroteAnything = false;
    },
    clear,
    invalidateIfChanged(): void {
      const [now] = versionOf.get() as unknown as unknown[];
      if (now === version) return;
      version = now;
      clear();
    },
    read,
  };
}

function childOf<Word>(nodes: Map<Word, CacheNode>, word: Word): CacheNode {
  let node = nodes.get(word);
  if (!node) {
    node = { next: new Map(), rows: null };
    nodes.set(word, node);
  }
  return node;
}

/** Null if the table is not evident: then anything may have changed. */
const tableWrittenBy = (sql: string): string | null =>
  /^\s*(?:insert into|update|delete from)\s+([a-z_]+)\b/.exec(sql)?.[1] ?? null;

export type QueryCache = ReturnType<typeof createQueryCache>;
