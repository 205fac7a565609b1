import type { NearMatch } from "./near-matches.ts";

/** Which of many attacks each place gets: others in each run with another seed, the same with the same one. */
export interface Deal {
  /** Some of many kinds, or all of them. */
  some<T>(all: readonly T[], count: number): T[];
  /** The next near-matches: one of every expression before a second one of any; or all of them. */
  nearMatches(count: number): readonly NearMatch[];
  /** One of two in turn, or both. */
  either<T>(turn: number, two: readonly [T, T]): T[];
  /** Expressions of which nothing was dealt. */
  undealt(): string[];
}

export function createDeal(nearMatches: readonly NearMatch[], seed: number, isAll: boolean): Deal {
  const random = seeded(seed);
  const byExpression = Map.groupBy(nearMatches, ({ of }) => of);
  const undealt = new Set(byExpression.keys());
  const next = inTurns(someOf([...byExpression.values()], byExpression.size, random), Math.floor(random() * 1000));
  return {
    some: (all, count) => (isAll ? [...all] : someOf(all, count, random)),
    nearMatches(count) {
      const dealt = isAll ? nearMatches : Array.from({ length: count }, () => next.next().value as NearMatch);
      for (const { of } of dealt) undealt.delete(of);
      return dealt;
    },
    either: (turn, two) => (isAll ? [...two] : [two[turn % 2] as (typeof two)[number]]),
    undealt: () => [...undealt],
  };
}

/** Without end: one of each group, then the next of each. */
function* inTurns(groups: readonly NearMatch[][], first: number): Generator<NearMatch> {
  for (let turn = first; ; turn++) {
    for (const group of groups) yield group[turn % group.length] as NearMatch;
  }
}

/** Numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function someOf<T>(all: readonly T[], count: number, random: () => number): T[] {
  const left = [...all];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0] as T,
  );
}
