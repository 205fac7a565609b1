import type { Db } from "../../store/db.ts";
import { inBatches, placeholders, rowPlaceholders } from "./batches.ts";

/** One simple value of a person, in the form in which filters compare it. */
export interface PersonValue {
  attribute: string;
  element: number;
  text: string;
}

/** How many characters of a value are indexed. Longer values are compared in full where that matters. */
const termCharactersMax = 200;

export const termOf = (text: string): string =>
  text.length <= termCharactersMax ? text : text.slice(0, termCharactersMax).toWellFormed();

/** A padded batch repeats its last row, so conflicts are ignored. */
export async function insertValues(db: Db, directoryId: string, userId: string, values: PersonValue[]): Promise<void> {
  for await (const batch of inBatches(values, 64)) {
    const row = ({ attribute, element, text }: PersonValue) => {
      const term = termOf(text);
      return [userId, attribute, element, directoryId, term, term === text ? null : text];
    };
    await db.query(
      `insert into directory_values (owner_id, attribute, element, directory_id, term, whole)
       values ${rowPlaceholders(batch.length, 6)} on conflict (owner_id, attribute, element) do nothing`,
      batch.flatMap(row),
    );
  }
}

export async function deleteValues(db: Db, userId: string, attributes: string[]): Promise<void> {
  for await (const batch of inBatches(attributes, 64)) {
    await db.query(
      `delete from directory_values where owner_id = $1 and attribute in (${placeholders(batch.length, 2)})`,
      [userId, ...batch],
    );
  }
}

export async function deleteAllValues(db: Db, userId: string): Promise<void> {
  await db.query("delete from directory_values where owner_id = $1", [userId]);
}
