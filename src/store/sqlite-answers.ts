import type { DatabaseSync } from "node:sqlite";
import type { Row, Value } from "./db.ts";

/** No more than this is remembered: what many callers ask is short, and few. */
const rememberedMax = 5000;
const rememberedRowsMax = 20;

/**
 * The answers to questions asked outside of transactions, kept exactly as long as nothing was committed, here or by another
 * process: SQLite is asked for its data version on each turn of the event loop in which a request came in. On a quiet
 * store a key is thus verified without walking the tables again (measured on an authenticated call: 40 us against 10).
 */
export function rememberAnswers(database: DatabaseSync) {
  const versionOf = database.prepare("pragma data_version");
  versionOf.setReturnArrays(true);
  const answers = new Map<string, Row[]>();
  let version: unknown;
  return {
    forget: () => answers.clear(),
    forgetIfChanged(): void {
      const [now] = versionOf.get() as unknown as unknown[];
      if (now === version) return;
      version = now;
      answers.clear();
    },
    answer(sql: string, values: readonly Value[], ask: (sql: string, values: readonly Value[]) => Row[]): Row[] {
      const question = sql + JSON.stringify(values);
      const before = answers.get(question);
      if (before) return before.slice();
      const rows = ask(sql, values);
      if (answers.size >= rememberedMax) answers.clear();
      if (rows.length <= rememberedRowsMax) answers.set(question, rows);
      return rows.slice();
    },
  };
}
