import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";

/**
 * "Each organization is hosted in one region": a key or id that names another one belongs to that region's address.
 * Told from the text alone, so it says nothing about what exists there. The face adds the base address.
 */
export function refuseOtherRegion(here: Region, named: Region | null): void {
  if (named === null || named === here) return;
  throw new Problem("wrong_region", `This belongs to the region ${named}; this is ${here}.`, {
    more: { region: named },
  });
}
