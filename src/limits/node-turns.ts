import type { SubjectState } from "./state.ts";

/*
 * Between processes: where somebody waits, their queue stands in a line that is part of the row. Whoever wants the same
 * limit leaves a place free for each queue that has less than its share of the calls under way: for those before it in
 * the line, and, having its own share, for all. So a busy neighbour neither passes anyone over nor crowds them out.
 */

/** Longer than the longest pause between two looks, so that only a dead process falls out of the line. */
export const turnMilliseconds = 10_000;

/** How many places this queue leaves for others. */
export function slotsForOthers(state: SubjectState, queue: string, limit: string, max: number): number {
  const waiting = state.turns.filter((turn) => turn.limit === limit).map((turn) => turn.queue);
  const others = waiting.filter((each) => each !== queue);
  if (others.length === 0) return 0;
  const share = Math.max(1, Math.floor(max / (others.length + 1)));
  const hasLess = (each: string): boolean => reservedBy(state, processOf(each), limit) < share;
  const place = waiting.indexOf(queue);
  const before = place < 0 ? others : waiting.slice(0, place);
  return (hasLess(queue) ? before : others).filter(hasLess).length;
}

/** Ids of queues and calls begin with the name of their process. */
export const processOf = (id: string): string => id.slice(0, id.indexOf("."));

const reservedBy = (state: SubjectState, process: string, limit: string): number =>
  state.reservations.reduce(
    (sum, { id, amounts }) => (processOf(id) === process ? sum + (amounts[limit] ?? 0) : sum),
    0,
  );

/** Whoever was served stands behind the others. */
export function passTurn(state: SubjectState, queue: string): void {
  const place = state.turns.findIndex((turn) => turn.queue === queue);
  if (place >= 0) state.turns.push(...state.turns.splice(place, 1));
}

/** Takes a place in the line, or keeps it; answers whether the row changed. */
export function keepTurn(state: SubjectState, queue: string, limit: string, now: number): boolean {
  const mine = state.turns.find((turn) => turn.queue === queue);
  if (mine && mine.limit === limit && mine.until > now + turnMilliseconds / 2) return false;
  const until = now + turnMilliseconds;
  if (mine) Object.assign(mine, { limit, until });
  else state.turns.push({ queue, limit, until });
  return true;
}

export function leaveTurn(state: SubjectState, queue: string): boolean {
  const before = state.turns.length;
  state.turns = state.turns.filter((turn) => turn.queue !== queue);
  return state.turns.length < before;
}
