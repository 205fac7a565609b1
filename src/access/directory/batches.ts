/**
 * Lists go to the store in pieces of 1, 2, 4 … rows, the last one filled up with its own last row: thousands of rows need few
 * statements, and lists of every length the same few texts, which the store prepares once.
 */
export function* inBatches<T>(rows: readonly T[], rowsMax = 512): Generator<T[]> {
  for (let from = 0; from < rows.length; from += rowsMax) {
    const batch = rows.slice(from, from + rowsMax);
    const last = batch.at(-1) as T;
    const wanted = 2 ** Math.ceil(Math.log2(batch.length));
    while (batch.length < wanted) batch.push(last);
    yield batch;
  }
}

/** `$3, $4, $5`: the marks for so many values, from the given one on. */
export const marks = (count: number, from: number): string =>
  made(`${count} ${from}`, () => Array.from({ length: count }, (_, index) => `$${from + index}`).join(", "));

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
