import type { World } from "../world.ts";

/** An unknown caller is told a limit too: one for all of them, which is not enforced. */
export function anonymousHeaders({ limits, clock }: World): Record<string, string> {
  const total = String(limits.other_per_minute);
  return {
    "x-ratelimit-limit": total,
    "x-ratelimit-remaining": total,
    "x-ratelimit-reset": String(Math.ceil(clock.now() / 1000) + 60),
  };
}
