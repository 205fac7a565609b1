import type { Db } from "../../store/db.ts";

/** A person, and their position in the directory's list. */
interface Start {
  passed: number;
  userId: string;
}

interface Starts {
  /** The version of the list. Cursors of another version are useless. */
  version: number;
  /** In the order of the list. */
  starts: Start[];
}

const startsMax = 2000;
const directoriesMax = 100;

const remembered = new WeakMap<Db, Map<string, Starts>>();

/**
 * A provider that reads all people asks for page after page by number. To find the thousandth page, the database would
 * skip all people before it. So the end of each page is remembered and the next page starts there (npm run bench --
 * scim). Cursors of an old version are dropped.
 */
export function cursorBefore(db: Db, directoryId: string, version: number, offset: number): Start | null {
  const known = remembered.get(db)?.get(directoryId);
  if (!known || known.version !== version) return null;
  return known.starts[placeOf(known.starts, offset) - 1] ?? null;
}

export function keepCursor(db: Db, directoryId: string, version: number, start: Start): void {
  const starts = startsOf(db, directoryId, version);
  const place = placeOf(starts, start.passed);
  if (starts[place - 1]?.passed !== start.passed) starts.splice(place, 0, start);
}

function startsOf(db: Db, directoryId: string, version: number): Start[] {
  const directories = remembered.get(db) ?? new Map<string, Starts>();
  remembered.set(db, directories);
  const known = directories.get(directoryId);
  if (known?.version === version && known.starts.length < startsMax) return known.starts;
  // Pages may finish out of order: a newer version stays.
  if (known && known.version > version) return [];
  if (!known && directories.size >= directoriesMax) directories.clear();
  const starts: Start[] = [];
  directories.set(directoryId, { version, starts });
  return starts;
}

/** The index at which a cursor with this offset is inserted: after those with the same offset. */
function placeOf(starts: Start[], passed: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle]?.passed ?? 0) <= passed) low = middle + 1;
    else high = middle;
  }
  return low;
}
