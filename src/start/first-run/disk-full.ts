import { StoreUnavailable } from "../../store/db.ts";

/** Whether a write failed for lack of space, in the store or in a file beside it. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return error.reason === "full";
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
