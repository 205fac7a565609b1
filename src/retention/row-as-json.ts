import type { Row } from "../store/db.ts";

/** Longer texts are written in pieces: serializing megabytes at once would keep the event loop busy. */
const pieceCharacters = 64 * 1024;

/** The JSON of a row in pieces. */
export function* jsonPieces({ table, row }: { table: string; row: Row }): Generator<string> {
  let text = `{"table":${JSON.stringify(table)},"row":{`;
  let separator = "";
  for (const [column, value] of Object.entries(row)) {
    text += `${separator}${JSON.stringify(column)}:`;
    separator = ",";
    if (typeof value !== "string" || value.length <= pieceCharacters) {
      text += JSON.stringify(value ?? null);
      continue;
    }
    yield `${text}"`;
    for (let at = 0; at < value.length; at += pieceCharacters) {
      // A pair of surrogates that is split becomes two escapes, which parse to the same pair.
      yield JSON.stringify(value.slice(at, at + pieceCharacters)).slice(1, -1);
    }
    text = `"`;
  }
  yield `${text}}}`;
}
