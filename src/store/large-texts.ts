import { randomBase62 } from "../kernel/random.ts";
import { isoTime } from "../kernel/times.ts";
import { turnAlone } from "../kernel/work-in-slices.ts";
import type { Db } from "./db.ts";
import { marksFrom } from "./expiring-tables.ts";

/**
 * SQLite writes on the thread of the event loop, 4 ms or more for each million characters, and rewrites a whole row
 * with every change of it. So a large text is stored in parts, each in a transaction of its own, before the row that
 * refers to it. PostgreSQL needs none of this: it writes elsewhere, and stores large values outside their row.
 */

const largeCharacters = 128 * 1024;
const partCharacters = 256 * 1024;
/** A text without a row is deleted after this time. No call that stored one takes so long to store its row. */
const unownedMilliseconds = 3600_000;

/** In place of the time: it is being deleted, and no row can have it any more. */
const deleting = "";

/** What a column holds: the text itself, or a reference. No JSON text begins with this sign. */
const sign = "@";
export const isReference = (column: string): boolean => column.startsWith(sign);
const idOf = (column: string): string | null => (isReference(column) ? column.slice(sign.length) : null);

/** Stores a text that is large, and returns the reference to it; any other text is returned as it is. */
export async function storeLargeText(db: Db, text: string, now: Date): Promise<string> {
  if (db.kind === "postgres" || text.length <= largeCharacters) return text;
  const id = randomBase62(22);
  // First: whatever happens then, nothing of it is left for ever.
  await db.transaction((inside) =>
    inside.query("insert into unowned_texts (id, since) values ($1, $2)", [id, isoTime(now)]),
  );
  let part = 0;
  for (let from = 0; from < text.length; part++) {
    const to = endOfPart(text, from);
    await turnAlone();
    await db.transaction((inside) =>
      inside.query("insert into large_texts (id, part, text) values ($1, $2, $3)", [id, part, text.slice(from, to)]),
    );
    from = to;
  }
  return sign + id;
}

/** Never between the two halves of a character: SQLite stores none of them alone. */
function endOfPart(text: string, from: number): number {
  const to = Math.min(from + partCharacters, text.length);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd8_00 && last <= 0xdb_ff ? to - 1 : to;
}

/**
 * Called in the transaction that stores a row with the reference: the text is deleted with this row, and no earlier.
 * Returns false if another row has it already, or if it was deleted.
 */
export async function ownText(db: Db, column: string): Promise<boolean> {
  const id = idOf(column);
  if (id === null) return true;
  const rows = await db.query("delete from unowned_texts where id = $1 and since <> $2 returning id", [id, deleting]);
  return rows.length > 0;
}

/** Called in the transaction that deletes rows, before it does. Their texts are deleted at the next occasion. */
export async function markTextsForDeletion(
  db: Db,
  { table, column }: { table: "runs"; column: "params" } | { table: "events"; column: "body" },
  ids: readonly string[],
): Promise<void> {
  if (db.kind === "postgres") return;
  await db.query(
    `insert into unowned_texts (id, since)
     select substr(${column}, ${sign.length + 1}), '${deleting}' from ${table} where ${column} like '${sign}%' and id in (${marksFrom(1, ids)})`,
    ids,
  );
}

/** Called in the transaction that has deleted or replaced what these columns held. Their texts are deleted at the next occasion. */
export async function releaseTexts(db: Db, columns: readonly string[]): Promise<void> {
  for (const id of columns.flatMap((column) => idOf(column) ?? []))
    await db.query("insert into unowned_texts (id, since) values ($1, $2)", [id, deleting]);
}

/** The text that a column holds or refers to. */
export async function readText(db: Db, column: string): Promise<string> {
  const id = idOf(column);
  if (id === null) return column;
  const parts = await db.query<{ text: string }>("select text from large_texts where id = $1 order by part", [id]);
  return joined(id, parts);
}

/** The same outside a transaction, with a turn of the event loop for each part. */
export async function readTextInTurns(db: Db, column: string): Promise<string> {
  const id = idOf(column);
  if (id === null) return column;
  const parts: { text: string }[] = [];
  for (;;) {
    await turnAlone();
    const [row] = await db.query<{ text: string }>("select text from large_texts where id = $1 and part = $2", [
      id,
      parts.length,
    ]);
    if (!row) return joined(id, parts);
    parts.push(row);
  }
}

function joined(id: string, parts: readonly { text: string }[]): string {
  if (parts.length === 0) throw new Error(`The text ${id} is not in the store.`);
  return parts.map(({ text }) => text).join("");
}

/** Deletes texts without a row, a part at a time. */
export async function deleteUnownedTexts(db: Db, now: Date): Promise<void> {
  const before = isoTime(new Date(now.getTime() - unownedMilliseconds));
  for (;;) {
    const [text] = await db.query<{ id: string }>(
      "select id from unowned_texts where since < $1 order by since limit 1",
      [before],
    );
    if (!text) return;
    await deleteUnowned(db, text.id);
  }
}

async function deleteUnowned(db: Db, id: string): Promise<void> {
  // First, or a row that takes it meanwhile would have a part of it.
  const marked = await db.transaction((inside) =>
    inside.query("update unowned_texts set since = $2 where id = $1 returning id", [id, deleting]),
  );
  if (marked.length === 0) return;
  let deleted: number;
  do {
    await turnAlone();
    deleted = await db.transaction(async (inside) => {
      const parts = await inside.query(
        `delete from large_texts where id = $1 and part = (select min(part) from large_texts where id = $1) returning part`,
        [id],
      );
      if (parts.length === 0) await inside.query("delete from unowned_texts where id = $1", [id]);
      return parts.length;
    });
  } while (deleted > 0);
}
