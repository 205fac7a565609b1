import type { Refusal } from "./refusal.ts";
import { reasonOf } from "./refusal.ts";

/** What a call found or did; the envelope around it differs between the two halves of the API. */
export interface Reply {
  /** Left out, the member is absent, as on an empty page of activities. */
  result?: unknown[];
  nextPageToken?: string;
  moreResult?: boolean;
  /** A file instead of an envelope. */
  file?: { type: string; content: string };
}

export type ApiHalf = "lead" | "asset";

export const noAssetsWarning = "No assets found for the given search criteria.";

/** `hex#hex`; the right half is the time in milliseconds. */
export function createRequestIds(now: () => number): () => string {
  let count = 0;
  return () => {
    // A walk through all numbers below a prime: looks arbitrary, repeats late, costs nothing.
    count = (count + 40_503) % 131_071;
    return `${count.toString(16)}#${now().toString(16)}`;
  };
}

/** Members left undefined are left out by JSON. */
export function wrap(half: ApiHalf, requestId: string, reply: Reply): object {
  const { result, nextPageToken, moreResult } = reply;
  if (half === "lead") return { requestId, result, success: true, nextPageToken, moreResult };
  if (!result || result.length === 0) return { success: true, errors: [], requestId, warnings: [noAssetsWarning] };
  return { success: true, errors: [], requestId, warnings: [], result };
}

export function wrapRefusal(half: ApiHalf, requestId: string, refusal: Refusal): object {
  const errors = [reasonOf(refusal)];
  return half === "lead" ? { requestId, success: false, errors } : { success: false, errors, requestId, warnings: [] };
}
