import { giveWay } from "../../kernel/work-in-slices.ts";
import { dynamicText } from "../../store/db.ts";

/**
 * Splits a list into batches of 1, 2, 4 … rows and pads the last batch with its own last row. Thousands of rows need
 * few statements, and lists of every length share a few SQL texts, which the store prepares once. Yields to other
 * requests between batches: on SQLite a statement runs on this thread.
 */
export async function* inBatches<T>(rows: readonly T[], rowsMax = 512): AsyncGenerator<T[]> {
  const turn = giveWay();
  for (let from = 0; from < rows.length; from += rowsMax) {
    const batch = rows.slice(from, from + rowsMax);
    const last = batch.at(-1) as T;
    const wanted = 2 ** Math.ceil(Math.log2(batch.length));
    while (batch.length < wanted) batch.push(last);
    yield batch;
    await turn();
  }
}

// PostgreSQL keeps the plan of a prepared statement while tables grow, and then compares every row with every element
// of a long list. With a new plan for each execution it uses an index (measured: filling a group with 10,000 people, a
// thousand at a time, 9.4 s and 1.2).
const replannedFrom = 64;

/** `$3, $4, $5`: so many placeholders, starting at the given number. */
export const placeholders = (count: number, from: number): string =>
  cached(`${count} ${from}`, () => {
    const list = Array.from({ length: count }, (_, index) => `$${from + index}`).join(", ");
    return count < replannedFrom ? list : `${list} ${dynamicText}`;
  });

/** `($1, $2), ($3, $4)`: placeholders for so many rows of so many values. */
export const rowPlaceholders = (rows: number, width: number): string =>
  cached(`${rows} x ${width}`, () =>
    Array.from({ length: rows }, (_, row) => {
      const first = 1 + row * width;
      return `(${Array.from({ length: width }, (_, index) => `$${first + index}`).join(", ")})`;
    }).join(", "),
  );

// Batches have few sizes, so this map stays small.
const texts = new Map<string, string>();
function cached(key: string, make: () => string): string {
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
  }
  return text;
}
