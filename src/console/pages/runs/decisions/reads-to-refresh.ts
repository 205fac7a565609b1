import type { Path } from "../../../../client/wire.ts";

/** What changes on screen when a person decides about a run. */
export const runChanges: Path[] = ["/latest/runs/{run_id}/get", "/latest/runs/list"];
