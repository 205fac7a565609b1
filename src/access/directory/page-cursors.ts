import type { Db } from "../../store/db.ts";

/** A person, and how many stand before them in the directory's list or are them. */
interface Start {
  passed: number;
  userId: string;
}

interface Starts {
  /** What the list looked like when they were noted: of another list they say nothing. */
  version: number;
  /** In the order of the list. */
  starts: Start[];
}

const startsMax = 2000;
const directoriesMax = 100;

const remembered = new WeakMap<Db, Map<string, Starts>>();

/**
 * A provider that reads everybody asks for page after page by number, and to find the thousandth page a store walks past all
 * people of the pages before. So the end of each page is remembered, and the next one begins there (npm run bench -- scim). A
 * version of the list that has passed is forgotten.
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
  // Two pages may end out of turn: what is newer stays.
  if (known && known.version > version) return [];
  if (!known && directories.size >= directoriesMax) directories.clear();
  const starts: Start[] = [];
  directories.set(directoryId, { version, starts });
  return starts;
}

/** Before which of them a start with so many passed would stand, and behind one that has as many. */
function placeOf(starts: Start[], passed: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle]?.passed ?? 0) <= passed) low = middle + 1;
    else high = middle;
  }
  return low;
}
