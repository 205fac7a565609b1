import { type Db, dynamicText, type Row } from "./db.ts";

/** A row that a retention policy may delete. */
export interface ExpiredRow {
  id: string;
  createdAt: string;
  /** Another value once the row has changed. */
  mark: string;
  /** Roughly its size: long rows are deleted a few at a time. */
  bytes: number;
}

export interface ExpiryPage {
  /** Rows that ended before this time have expired. */
  before: string;
  /** Exclusive bounds of the ids. */
  above: string;
  below: string;
  limit: number;
}

/** What a table tells about its expired rows. Each room that owns such a table has one. */
export interface ExpiringTable {
  /**
   * Expired rows of one owner (a project or a webhook), in the order of their ids, without those that something refers to. `searchedTo` names
   * the last row that was read if others remain behind it.
   */
  find(db: Db, owner: string, page: ExpiryPage): Promise<{ rows: ExpiredRow[]; searchedTo: string | null }>;

  /** Of these rows of one owner, those that may still be deleted and are as they were. Locks them. */
  unchanged(db: Db, owner: string, rows: readonly ExpiredRow[], before: string): Promise<ExpiredRow[]>;

  remove(db: Db, ids: readonly string[]): Promise<void>;

  /** What belongs to a row, itself first, as it is stored. */
  read(db: Db, id: string): AsyncGenerator<{ table: string; row: Row }>;
}

/** The statements of a table whose rows nothing refers to. */
export interface ExpiringStatements {
  table: string;
  find(db: Db, owner: string, page: ExpiryPage): Promise<ExpiredRow[]>;
  lock(db: Db, owner: string, ids: readonly string[], before: string): Promise<ExpiredRow[]>;
  remove(db: Db, ids: readonly string[]): Promise<void>;
  read(db: Db, id: string): Promise<Row | null>;
}

export const expiringTable = ({ table, find, lock, remove, read }: ExpiringStatements): ExpiringTable => ({
  async find(db, owner, page) {
    const rows = await find(db, owner, page);
    return { rows, searchedTo: searchedTo(rows, page.limit) };
  },
  async unchanged(db, owner, rows, before) {
    const ids = rows.map(({ id }) => id);
    return withSameMark(rows, await lock(db, owner, ids, before));
  },
  remove,
  async *read(db, id) {
    const row = await read(db, id);
    if (row) yield { table, row };
  },
});

/** `$2, $3, $4` for a list of values, of which the first is the parameter `first`. */
export const marksFrom = (first: number, values: readonly unknown[]): string =>
  `${values.map((_, index) => `$${index + first}`).join(", ")} ${dynamicText}`;

export const searchedTo = <R extends { id: string }>(rows: readonly R[], limit: number): string | null =>
  rows.length === limit ? (rows.at(-1)?.id ?? null) : null;

/** Those of `rows` that `now` has with the same mark. */
export function withSameMark(rows: readonly ExpiredRow[], now: readonly ExpiredRow[]): ExpiredRow[] {
  const marks = new Map(now.map(({ id, mark }) => [id, mark]));
  return rows.filter(({ id, mark }) => marks.get(id) === mark);
}
