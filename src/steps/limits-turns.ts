import type { SubjectState } from "./limits-state.ts";

/*
 * Between processes: where somebody waits, their desk stands in a line that is part of the row. Whoever stands behind
 * leaves one place free for each desk before it that waits for the same limit, so nobody is passed over by a busier
 * neighbour.
 */

/** Longer than the longest pause between two looks, so that only a dead process falls out of the line. */
export const turnMilliseconds = 10_000;

/** How many desks are served before this one where they want the same limit. */
export function aheadOf(state: SubjectState, desk: string, limit: string): number {
  let ahead = 0;
  for (const turn of state.turns) {
    if (turn.desk === desk) break;
    if (turn.limit === limit) ahead++;
  }
  return ahead;
}

/** Whoever was served stands behind the others. */
export function passTurn(state: SubjectState, desk: string): void {
  const place = state.turns.findIndex((turn) => turn.desk === desk);
  if (place >= 0) state.turns.push(...state.turns.splice(place, 1));
}

/** Takes a place in the line, or keeps it; answers whether the row changed. */
export function keepTurn(state: SubjectState, desk: string, limit: string, now: number): boolean {
  const mine = state.turns.find((turn) => turn.desk === desk);
  if (mine && mine.limit === limit && mine.until > now + turnMilliseconds / 2) return false;
  const until = now + turnMilliseconds;
  if (mine) Object.assign(mine, { limit, until });
  else state.turns.push({ desk, limit, until });
  return true;
}

export function leaveTurn(state: SubjectState, desk: string): boolean {
  const before = state.turns.length;
  state.turns = state.turns.filter((turn) => turn.desk !== desk);
  return state.turns.length < before;
}
