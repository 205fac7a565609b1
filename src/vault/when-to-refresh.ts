import type { Obtained } from "../systems/sign-in.ts";

/**
 * A token is refreshed one or two minutes before it expires, at random, so that connections do not refresh at the same
 * moment. A system that returns the same token again has no newer one yet: that token is used until it expires.
 */
export function tokenLifeOf(
  obtained: Pick<Obtained, "expiresInSeconds">,
  now: Date,
  isSameAgain = false,
  random = Math.random(),
): { refreshAt: string | null; expiresAt: string | null } {
  const { expiresInSeconds: life } = obtained;
  if (life === null) return { refreshAt: null, expiresAt: null };
  const early = isSameAgain ? 0 : Math.min(60 + 60 * random, life * (0.1 + 0.1 * random));
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
  return { refreshAt: at(life - early), expiresAt: at(life) };
}
