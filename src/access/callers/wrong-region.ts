import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";

/**
 * "Each organization is hosted in one region": a key or id that names another region belongs to that region's address.
 * Only the text decides, so the error reveals nothing about what exists there. The web server adds the base address.
 */
export function refuseOtherRegion(here: Region, named: Region | null): void {
  if (named === null || named === here) return;
  throw new Problem("wrong_region", `This belongs to the region ${named}; this is ${here}.`, {
    more: { region: named },
  });
}
