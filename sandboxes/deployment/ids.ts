import { randomInt } from "node:crypto";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Where chance comes from: seeded while the seed is laid out, the machine's afterwards. */
export interface Chance {
  /** 0 to max - 1. */
  below(max: number): number;
}

/** Ids made after the seed never repeat, over resets and restarts too: receivers remember them. */
export const machineChance: Chance = { below: (max) => randomInt(max) };

/** mulberry32: the same seed gives the same records on every machine. */
export function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  return {
    below(max) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * max);
    },
  };
}

export const newId = (chance: Chance, prefix: string, length = 24): string => prefix + word(chance, letters, length);
export const newHostWord = (chance: Chance): string => word(chance, hostLetters, 9);
export const newHex = (chance: Chance, length: number): string => word(chance, "0123456789abcdef", length);

export function pick<T>(chance: Chance, from: readonly T[]): T {
  const chosen = from[chance.below(from.length)];
  if (chosen === undefined) throw new Error("There is nothing to pick from.");
  return chosen;
}

function word(chance: Chance, alphabet: string, length: number): string {
  let text = "";
  for (let index = 0; index < length; index++) text += alphabet[chance.below(alphabet.length)];
  return text;
}
