import type { Obtained } from "../systems/sign-in.ts";

/**
 * Renewed a minute or two before its end, not all connections at the same moment. A system that gives the same token again
 * has nothing newer yet: it is asked again when this one has ended, and not before.
 */
export function lifeOf(
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
