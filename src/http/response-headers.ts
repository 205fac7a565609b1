import { contractVersion } from "./contract-version.ts";

/** Headers of every response. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "signalbox-version": contractVersion,
});
