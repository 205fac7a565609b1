import type { DatabaseSync } from "node:sqlite";
import { isOneOfMany, type Row, type Value } from "../db.ts";

/** No more than this is remembered: what many callers ask is short, and few. */
const rememberedMax = 5000;
const rememberedRowsMax = 20;

type Ask = (sql: string, values: readonly Value[]) => Row[];

/** The values of a question lead to its answer, one after the other. A text made of them all costs more than the way. */
interface Place {
  next: Map<Value, Place>;
  rows: Row[] | null;
}

/**
 * The answers to questions asked outside of transactions, kept exactly as long as nothing was committed to the tables they
 * name, or by another process to anything: SQLite is asked for its data version on each turn of the event loop in which a
 * request came in, and at the start of every batch of transactions. So a key is verified without walking the tables again
 * (measured on an authenticated call: 40 us against 10), also while every call writes a run, and once more inside a change.
 */
export function rememberAnswers(database: DatabaseSync) {
  const versionOf = database.prepare("pragma data_version");
  versionOf.setReturnArrays(true);
  const questions = new Map<string, Place>();
  const writtenBy = new Map<string, string | null>();
  const wordsOf = new Map<string, ReadonlySet<string>>();
  const written = new Set<string>();
  let remembered = 0;
  let wroteAnything = false;
  let version: unknown;

  /** Whether it names a table that was written to. A word that only looks like one costs a look at the database, no more. */
  function names(sql: string): boolean {
    let words = wordsOf.get(sql);
    if (!words) {
      words = new Set(sql.match(/[a-z_]+/g));
      wordsOf.set(sql, words);
    }
    for (const table of written) if (words.has(table)) return true;
    return false;
  }

  function forgetAll(): void {
    questions.clear();
    remembered = 0;
  }

  function find(sql: string, values: readonly Value[]): Row[] | null {
    let place = questions.get(sql);
    for (let index = 0; place && index < values.length; index++) place = place.next.get(values[index] ?? null);
    return place?.rows ?? null;
  }

  function keep(sql: string, values: readonly Value[], rows: Row[]): void {
    // Tables are found in it by their names, which are written small.
    if (rows.length > rememberedRowsMax || /[A-Z]/.test(sql)) return;
    if (++remembered > rememberedMax) forgetAll();
    let place = nextOn(questions, sql);
    for (const value of values) place = nextOn(place.next, value);
    place.rows = rows;
  }

  function answer(sql: string, values: readonly Value[], ask: Ask): Row[] {
    const before = find(sql, values);
    if (before) return before.slice();
    const rows = ask(sql, values);
    keep(sql, values, rows);
    return rows.slice();
  }

  return {
    /** A statement of a transaction is about to write. */
    noteWrite(sql: string): void {
      let table = writtenBy.get(sql);
      if (table === undefined) {
        table = tableWrittenBy(sql);
        if (!isOneOfMany(sql)) writtenBy.set(sql, table);
      }
      if (table === null) wroteAnything = true;
      else written.add(table);
    },
    /** Inside a transaction: tables that were written to since it began are asked themselves. */
    answerInside(sql: string, values: readonly Value[], ask: Ask): Row[] {
      const mayHaveChanged = wroteAnything || isOneOfMany(sql) || names(sql);
      return mayHaveChanged ? ask(sql, values) : answer(sql, values, ask);
    },
    /** What was noted since the last time is committed, or undone. */
    forgetWritten(): void {
      if (wroteAnything) forgetAll();
      else if (written.size > 0) {
        for (const sql of questions.keys()) if (names(sql)) questions.delete(sql);
      }
      written.clear();
      wroteAnything = false;
    },
    forgetAll,
    forgetIfChanged(): void {
      const [now] = versionOf.get() as unknown as unknown[];
      if (now === version) return;
      version = now;
      forgetAll();
    },
    answer,
  };
}

function nextOn<Word>(places: Map<Word, Place>, word: Word): Place {
  let place = places.get(word);
  if (!place) {
    place = { next: new Map(), rows: null };
    places.set(word, place);
  }
  return place;
}

/** Null where that is not plain to see, and everything may have changed. */
const tableWrittenBy = (sql: string): string | null =>
  /^\s*(?:insert into|update|delete from)\s+([a-z_]+)\b/.exec(sql)?.[1] ?? null;
