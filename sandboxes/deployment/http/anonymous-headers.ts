import type { World } from "../world.ts";

/** Whoever is not known still learns of a limit; it is one for all of them, and only told, not enforced. */
export function anonymousHeaders({ limits, clock }: World): Record<string, string> {
  const total = String(limits.other_per_minute);
  return {
    "x-ratelimit-limit": total,
    "x-ratelimit-remaining": total,
    "x-ratelimit-reset": String(Math.ceil(clock.now() / 1000) + 60),
  };
}
