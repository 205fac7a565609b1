import type { ProbeResult } from "../../define.ts";

/** What the records show of a call whose answer was lost. */
export type Found = ProbeResult<ReadBack>;

export type NotFound = "did not" | "in part" | "cannot tell";

/** The result of the call, as far as the records show it. */
export interface ReadBack {
  status: number;
  body: { success: true; result: Record<string, unknown>[] };
}
