import { afterProof, readKnownBrowser, writeKnownBrowser } from "../identity/passwords/known-browser.ts";
import type { Call } from "./received-call.ts";
import type { RegionContext } from "./region-context.ts";

/** Writes the cookie of the answer, once a person has proved in this browser that an account is theirs. */
export const rememberIn =
  (call: Call, { seal, region, now }: RegionContext) =>
  (userId: string, strongly: boolean): void => {
    const before = readKnownBrowser(seal, region, call.seen.knownBrowser ?? call.browser());
    const after = afterProof(before, { userId, at: now().getTime(), strongly });
    call.seen.knownBrowser = writeKnownBrowser(seal, region, after);
  };
