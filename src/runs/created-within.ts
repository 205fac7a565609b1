import { idAt } from "../kernel/ids.ts";
import type { Region } from "../kernel/regions.ts";
import type { CreatedWithin } from "./runs.store.ts";

const dayMilliseconds = 86_400_000;

/** Runs created from `since` on and before `until`. An id is made within a day of its run's `created_at`. */
export function createdWithin(region: Region, since?: string, until?: string): CreatedWithin {
  const bound = (text: string, tolerance: number) => {
    const at = new Date(text);
    return { at: at.toISOString(), id: idAt("run", region, new Date(at.getTime() + tolerance)) };
  };
  return {
    since: since === undefined ? undefined : bound(since, -dayMilliseconds),
    until: until === undefined ? undefined : bound(until, dayMilliseconds),
  };
}
