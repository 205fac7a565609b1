import type { Fate } from "../records.ts";

/**
 * A build goes as its names say: a project or branch with the word `fail` ends in ERROR, with `slow` it takes
 * ten times as long, with `blocked` it waits for a person, with `alias-error` it is READY but not served.
 */
export function fateOf(names: readonly (string | null | undefined)[]): Fate {
  const words = names.flatMap((name) => (name ?? "").toLowerCase().split(/[^a-z0-9]+/));
  const has = (...any: string[]) => any.some((word) => words.includes(word));
  const text = names.join(" ").toLowerCase();
  return {
    end: has("blocked") ? "blocked" : has("fail", "fails", "failed", "failing", "failure") ? "error" : "ready",
    isSlow: has("slow"),
    aliasFails: text.includes("alias-error"),
  };
}

export const slowFactor = 10;
