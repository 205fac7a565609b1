/** A result that is a table: a list of plain objects, by itself or as the only list of the result. */
export interface Rows {
  names: string[];
  /** Columns that hold numbers alone. */
  numbers: string[];
  items: Record<string, unknown>[];
}

const columnsMax = 12;

export function rowsIn(output: unknown): Rows | null {
  const list = listIn(output);
  if (!list || list.length === 0 || !list.every(isObject)) return null;
  const names = [...new Set(list.slice(0, 50).flatMap((item) => Object.keys(item)))];
  if (names.length === 0 || names.length > columnsMax) return null;
  const numbers = names.filter((name) => list.every((item) => typeof item[name] === "number"));
  return { names, numbers, items: list };
}

function listIn(output: unknown): unknown[] | null {
  if (Array.isArray(output)) return output;
  if (!isObject(output)) return null;
  if (Array.isArray(output.rows)) return output.rows;
  const lists = Object.values(output).filter((value) => Array.isArray(value));
  return lists.length === 1 ? (lists[0] ?? null) : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
