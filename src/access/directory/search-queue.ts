import { Problem } from "../../kernel/problem.ts";

interface Line {
  waiting: number;
  last: Promise<unknown>;
}

const waitingMax = 16;

/** By directory; who asks nothing is not in here. */
const lines = new Map<string, Line>();

/**
 * One after the other for each directory: a search through a hundred thousand people takes a second of somebody's processor, and
 * however many a directory asks for, another's waits for one of them.
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
