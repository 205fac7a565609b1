import type { SubjectState } from "./state.ts";

/*
 * Fairness between processes. A queue with waiting calls has an entry in the row. A process that needs the same limit leaves a
 * slot free for each queue that has less than its share of the calls under way: for queues before it, and once it has its own
 * share, for all. So a busy node neither overtakes nor crowds out the others.
 */

/** Longer than the longest pause between two rounds, so that only the entry of a dead process expires. */
export const turnMilliseconds = 10_000;

/** How many slots this queue leaves free for others. */
export function slotsForOthers(state: SubjectState, queue: string, limit: string, max: number): number {
  const waiting = state.turns.filter((turn) => turn.limit === limit).map((turn) => turn.queue);
  const others = waiting.filter((each) => each !== queue);
  if (others.length === 0) return 0;
  const share = Math.max(1, Math.floor(max / (others.length + 1)));
  const hasLess = (each: string): boolean => reservedBy(state, processOf(each), limit) < share;
  const position = waiting.indexOf(queue);
  const before = position < 0 ? others : waiting.slice(0, position);
  return (hasLess(queue) ? before : others).filter(hasLess).length;
}

/** Ids of queues and reservations begin with the name of their process. */
export const processOf = (id: string): string => id.slice(0, id.indexOf("."));

const reservedBy = (state: SubjectState, process: string, limit: string): number =>
  state.reservations.reduce(
    (sum, { id, amounts }) => (processOf(id) === process ? sum + (amounts[limit] ?? 0) : sum),
    0,
  );

/** After an admission the queue moves behind the others. */
export function passTurn(state: SubjectState, queue: string): void {
  const position = state.turns.findIndex((turn) => turn.queue === queue);
  if (position >= 0) state.turns.push(...state.turns.splice(position, 1));
}

/** Adds or renews the entry of the queue. Returns whether the row changed. */
export function keepTurn(state: SubjectState, queue: string, limit: string, now: number): boolean {
  const own = state.turns.find((turn) => turn.queue === queue);
  if (own && own.limit === limit && own.until > now + turnMilliseconds / 2) return false;
  const until = now + turnMilliseconds;
  if (own) Object.assign(own, { limit, until });
  else state.turns.push({ queue, limit, until });
  return true;
}

export function leaveTurn(state: SubjectState, queue: string): boolean {
  const before = state.turns.length;
  state.turns = state.turns.filter((turn) => turn.queue !== queue);
  return state.turns.length < before;
}
