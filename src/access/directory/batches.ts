import { giveWay } from "../../kernel/give-way.ts";
import { varies } from "../../store/db.ts";

/**
 * Lists go to the store in pieces of 1, 2, 4 … rows, the last one filled up with its own last row: thousands of rows need few
 * statements, and lists of every length the same few texts, which the store prepares once. Between two pieces others have their
 * turn: on SQLite a statement is work of this very thread.
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

// PostgreSQL makes a plan for a prepared statement that it keeps however its tables grow, and compares every row of them with
// every mark of a long list. Planned anew, with the values at hand, it looks these up (measured: filling a group with 10,000
// people, a thousand at a time, 9.4 s and 1.2).
const plannedAnewFrom = 64;

/** `$3, $4, $5`: the marks for so many values, from the given one on. */
export const marks = (count: number, from: number): string =>
  made(`${count} ${from}`, () => {
    const list = Array.from({ length: count }, (_, index) => `$${from + index}`).join(", ");
    return count < plannedAnewFrom ? list : `${list} ${varies}`;
  });

/** `($1, $2), ($3, $4)`: the marks for so many rows of so many values. */
export const rowMarks = (rows: number, width: number): string =>
  made(`${rows} x ${width}`, () =>
    Array.from({ length: rows }, (_, row) => {
      const first = 1 + row * width;
      return `(${Array.from({ length: width }, (_, index) => `$${first + index}`).join(", ")})`;
    }).join(", "),
  );

// Batches have few sizes, so there are few of these.
const texts = new Map<string, string>();
function made(key: string, make: () => string): string {
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
  }
  return text;
}
