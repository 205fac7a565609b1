import type { NearMatch } from "./near-matches.ts";

/** Which of many attacks each place gets: others in each run with another seed, the same with the same one. */
export interface Deal {
  /** Some of many kinds, or those of the part. */
  some<T>(all: readonly T[], count: number): T[];
  /** Some of many places, or all of them. */
  places<T>(all: readonly T[], count: number): T[];
  /** The next near-matches: one of every expression before a second one of any; or those of the part. */
  nearMatches(count: number): readonly NearMatch[];
  /** One of two in turn, or both. */
  either<T>(turn: number, two: readonly [T, T]): T[];
  /** Which of these places get the largest that the server takes: one of them, or all. */
  largest<T>(all: readonly T[]): T[];
  /** How many requests have something hostile in every field at once. */
  together: number;
  /** Expressions of which nothing was dealt. */
  undealt(): string[];
}

const togetherInSample = 1;

/** A few for each place, chosen by the seed. */
export function createSample(nearMatches: readonly NearMatch[], seed: number): Deal {
  const random = seeded(seed);
  const byExpression = Map.groupBy(nearMatches, ({ of }) => of);
  const undealt = new Set(byExpression.keys());
  const next = inTurns(someOf([...byExpression.values()], byExpression.size, random), Math.floor(random() * 1000));
  return {
    some: (all, count) => someOf(all, count, random),
    places: (all, count) => someOf(all, count, random),
    nearMatches(count) {
      const dealt = Array.from({ length: count }, () => next.next().value as NearMatch);
      for (const { of } of dealt) undealt.delete(of);
      return dealt;
    },
    either: (turn, two) => [two[turn % 2] as (typeof two)[number]],
    largest: (all) => someOf(all, 1, random),
    together: togetherInSample,
    undealt: () => [...undealt],
  };
}

/** One of several parts, which together give everything to every place. Each place gets some of every kind in every part. */
export function createPart(nearMatches: readonly NearMatch[], part: number, parts: number): Deal {
  // Expressions that are like each other are nearly matched by the same texts.
  const distinct = [
    ...new Map(nearMatches.map((near) => [`${near.before}\0${near.unit}\0${near.after}`, near])).values(),
  ];
  let turn = 0;
  const ofPart = <T>(all: readonly T[]): T[] => {
    turn++;
    return all.filter((_, index) => (index + turn) % parts === part % parts);
  };
  return {
    some: (all) => ofPart(all),
    places: (all) => [...all],
    nearMatches: () => ofPart(distinct),
    either: (_, two) => [...two],
    largest: (all) => [...all],
    together: 1,
    undealt: () => [],
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
