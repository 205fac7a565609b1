import type { SubjectState } from "./limit-row.ts";

/*
 * Fairness between processes. A queue with waiting calls has an entry in the row. A process that needs the same limit leaves a
 * slot free for each queue that has less than its share of the calls under way: for queues before it, and once it has its own
 * share, for all. So a busy node neither overtakes nor crowds out the others.
 */

/** Longer than the longest pause between two rounds, so that only the entry of a dead process expires. */
export const turnMilliseconds = 10_000;

/*
 * A run does not wait in a process: it is refused with the time to try again. Until then, and a little longer, it has an
 * entry of its own in the row, for one slot. Otherwise calls that can wait would take every slot before it is back.
 */
const runMark = ".run";
export const turnOfRun = (runId: string): string => `${runId}${runMark}`;
const isRun = (queue: string): boolean => queue.endsWith(runMark);
export const hasTurn = (state: SubjectState, queue: string): boolean =>
  state.turns.some((turn) => turn.queue === queue);
export const areRunsExpected = (state: SubjectState): boolean => state.turns.some(({ queue }) => isRun(queue));

/**
 * How many slots this queue leaves free for others. A run that is back leaves none for the queue of its own process, and none for other
 * runs: they retry in the order in which they are due. If it left them the slots, most of a long backlog would wait for runs that
 * are themselves still in the queue, and two fifths of the limit would stay unused.
 */
export function slotsForOthers(
  state: SubjectState,
  queue: string,
  limit: string,
  max: number,
  own: string = queue,
): number {
  const isBack = isRun(queue);
  // Runs that are expected keep at most half of the limit free.
  const runsMax = isBack ? 0 : Math.max(1, Math.floor(max / 2));
  const queues: { queue: string; isBefore: boolean }[] = [];
  let [runs, runsBefore, hasPassed] = [0, 0, false];
  // One pass without copies: the row of a busy account has an entry for each of a thousand waiting runs.
  for (const turn of state.turns) {
    if (turn.limit !== limit) continue;
    if (turn.queue === queue) hasPassed = true;
    else if (!isRun(turn.queue)) {
      if (turn.queue !== own) queues.push({ queue: turn.queue, isBefore: !hasPassed });
    } else if (runs < runsMax) {
      runs++;
      if (!hasPassed) runsBefore++;
    }
  }
  if (runs + queues.length === 0) return 0;
  const share = Math.max(1, Math.floor(max / (queues.length + 1)));
  const hasLess = (each: string): boolean => reservedBy(state, processOf(each), limit) < share;
  const isOwnTurn = isBack || hasLess(queue);
  const counted = queues.filter((each) => (each.isBefore || !isOwnTurn) && hasLess(each.queue));
  return counted.length + (isOwnTurn ? runsBefore : runs);
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
export function keepTurn(
  state: SubjectState,
  queue: string,
  limit: string,
  now: number,
  until: number = now + turnMilliseconds,
): boolean {
  const own = state.turns.find((turn) => turn.queue === queue);
  if (own && own.limit === limit && own.until > until - turnMilliseconds / 2) return false;
  if (own) Object.assign(own, { limit, until });
  else state.turns.push({ queue, limit, until });
  return true;
}

export function leaveTurn(state: SubjectState, queue: string): boolean {
  const before = state.turns.length;
  state.turns = state.turns.filter((turn) => turn.queue !== queue);
  return state.turns.length < before;
}
