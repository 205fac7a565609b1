/** What was counted, a figure for each round. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(figures: number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const median = Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
  return { median, min: at(0), max: at(sorted.length - 1) };
}

/**
 * Measures the things in turn, A B C A B C …, so that a slow minute of the machine falls on all of them. The order is
 * turned round every other time: one that always follows the same other would inherit its traces.
 */
export async function inRounds<T>(
  count: number,
  things: readonly (() => Promise<T>)[],
  onRound: (round: number) => void = () => {},
): Promise<T[][]> {
  const figures: T[][] = things.map(() => []);
  for (let round = 0; round < count; round++) {
    onRound(round);
    const order = [...things.keys()];
    if (round % 2 === 1) order.reverse();
    for (const index of order) figures[index]?.push(await (things[index] as () => Promise<T>)());
  }
  return figures;
}

/** The ratio round by round: both halves of a round saw the same machine, two medians may not have. */
export const ratioOf = (ours: number[], theirs: number[]): Spread =>
  spreadOf(ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN)));
