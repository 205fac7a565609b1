import { Problem } from "../../kernel/problem.ts";

interface Line {
  waiting: number;
  last: Promise<unknown>;
}

const waitingMax = 16;

/** By directory; only directories with searches under way. */
const lines = new Map<string, Line>();

/**
 * Runs one search at a time for each directory. A search over a hundred thousand people takes a second of processor
 * time; this way a directory waits for at most one search of each other directory.
 */
export async function inTurn<T>(directoryId: string, work: () => Promise<T>): Promise<T> {
  const line = lines.get(directoryId) ?? { waiting: 0, last: Promise.resolve() };
  if (line.waiting >= waitingMax) {
    throw new Problem("rate_limited", `The directory has ${waitingMax} searches under way.`, {
      headers: { "retry-after": "1" },
    });
  }
  lines.set(directoryId, line);
  line.waiting++;
  const mine = line.last.then(work);
  line.last = mine.catch(() => {});
  try {
    return await mine;
  } finally {
    if (--line.waiting === 0) lines.delete(directoryId);
  }
}
