import type { Db } from "../../store/db.ts";

/** A person, and their position in the directory's list. */
interface PageCursor {
  offset: number;
  userId: string;
}

interface CursorList {
  /** The version of the list. Cursors of another version are useless. */
  version: number;
  /** In the order of the list. */
  cursors: PageCursor[];
}

const cursorsMax = 2000;
const directoriesMax = 100;

const remembered = new WeakMap<Db, Map<string, CursorList>>();

/**
 * A provider that reads all people asks for page after page by number. To find the thousandth page, the database would
 * skip all people before it. So the end of each page is remembered and the next page starts there (npm run bench --
 * scim). Cursors of an old version are dropped.
 */
export function cursorBefore(db: Db, directoryId: string, version: number, offset: number): PageCursor | null {
  const known = remembered.get(db)?.get(directoryId);
  if (!known || known.version !== version) return null;
  return known.cursors[insertionIndex(known.cursors, offset) - 1] ?? null;
}

export function keepCursor(db: Db, directoryId: string, version: number, cursor: PageCursor): void {
  const cursors = cursorsOf(db, directoryId, version);
  const index = insertionIndex(cursors, cursor.offset);
  if (cursors[index - 1]?.offset !== cursor.offset) cursors.splice(index, 0, cursor);
}

function cursorsOf(db: Db, directoryId: string, version: number): PageCursor[] {
  const directories = remembered.get(db) ?? new Map<string, CursorList>();
  remembered.set(db, directories);
  const known = directories.get(directoryId);
  if (known?.version === version && known.cursors.length < cursorsMax) return known.cursors;
  // Pages may finish out of order: a newer version stays.
  if (known && known.version > version) return [];
  if (!known && directories.size >= directoriesMax) directories.clear();
  const cursors: PageCursor[] = [];
  directories.set(directoryId, { version, cursors });
  return cursors;
}

/** The index at which a cursor with this offset is inserted: after those with the same offset. */
function insertionIndex(cursors: PageCursor[], offset: number): number {
  let [low, high] = [0, cursors.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cursors[middle]?.offset ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
