/** `outcome_unknown`: a write was sent and its answer never came; a person settles it. */
export const runStatuses = [
  "queued",
  "running",
  "waiting",
  "succeeded",
  "failed",
  "cancelled",
  "outcome_unknown",
] as const;
export type RunStatus = (typeof runStatuses)[number];
