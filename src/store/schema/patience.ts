import { StoreUnavailable } from "../db.ts";

/** For how long others may wait behind a change of the schema, and how often it is tried again. */
export interface Patience {
  /** Together for all locks of one try: so long, every statement on these tables waits in the worst case. */
  lockMilliseconds: number;
  tries: number;
  /** Before the second try; then more and more, up to `pauseMillisecondsMax`. In it, others do what has waited. */
  pauseMilliseconds: number;
  pauseMillisecondsMax: number;
  random(): number;
}

/** About ten minutes in all. Callers wait 3.5 seconds for a lock, so none is refused because of a change that waits. */
export const startPatience: Patience = {
  lockMilliseconds: 2_000,
  tries: 60,
  pauseMilliseconds: 1_000,
  pauseMillisecondsMax: 10_000,
  random: Math.random,
};

/** A table was in use for so long that a change of the schema could not begin. Nothing was changed by it. */
export class SchemaBusy extends Error {}

/** A lock was not granted in time, or the server ended this one of two transactions that waited for each other. */
const isForLock = (error: unknown): boolean => error instanceof StoreUnavailable && error.reason === "busy";

/** Tries it until it gets its locks. `report` hears of each try that did not. */
export async function patiently<T>(
  patience: Patience,
  what: () => string,
  report: (text: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isForLock(error)) throw error;
      if (attempt >= patience.tries) {
        const remedy = "End the transactions that are open for long (pg_stat_activity), and start again.";
        throw new SchemaBusy(`${what()} did not get its locks in ${attempt} tries. ${remedy}`, { cause: error });
      }
      report(`${what()} waits: another transaction has used a table for long (try ${attempt} of ${patience.tries})`);
    }
    await pause(patience, attempt);
  }
}

/** Half of it is random, so that nodes which start at once do not try at once. */
export function pause({ pauseMilliseconds, pauseMillisecondsMax, random }: Patience, attempt: number): Promise<void> {
  const longest = Math.min(pauseMilliseconds * 2 ** (attempt - 1), pauseMillisecondsMax);
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + random() / 2)));
}
