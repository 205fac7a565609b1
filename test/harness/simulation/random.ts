import { hash } from "node:crypto";

/** Random numbers by name, so that nothing depends on the order in which others draw theirs. */
export const createRandoms =
  (seed: number) =>
  (name: string): (() => number) =>
    randomFrom(hash("sha256", `${seed} ${name}`, "buffer").readInt32LE());

/** Repeatable random numbers from 0 up to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
