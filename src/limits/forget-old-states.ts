import { momentOf } from "./state/limit-row.ts";

interface StateRow {
  subject: string;
  state: string;
}

/** Longer than the window of any limit. */
const keptMilliseconds = 30 * 86_400_000;
const pageRows = 500;

/** Deletes rows that were unused for a month, page by page. Returns how many. */
export async function forgetOldStates(
  now: number,
  rows: { list(after: string, limit: number): Promise<StateRow[]>; remove(old: StateRow[]): Promise<number> },
): Promise<number> {
  let count = 0;
  let after: string | undefined = "";
  while (after !== undefined) {
    const page: StateRow[] = await rows.list(after, pageRows);
    const old = page.filter(({ state }) => state === "" || momentOf(state).wall < now - keptMilliseconds);
    if (old.length > 0) count += await rows.remove(old);
    after = page.length < pageRows ? undefined : page.at(-1)?.subject;
  }
  return count;
}

/** All matching subjects, in order. */
export async function listSubjects(
  list: (after: string, limit: number) => Promise<StateRow[]>,
  matches: (subject: string, state: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined = "";
  while (after !== undefined) {
    const page: StateRow[] = await list(after, pageRows);
    found.push(...page.filter(({ subject, state }) => matches(subject, state)).map(({ subject }) => subject));
    after = page.length < pageRows ? undefined : page.at(-1)?.subject;
  }
  return found;
}
