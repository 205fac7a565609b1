import { afterEach } from "vitest";
import { cleanUp } from "../stores.ts";

/** Runs for each test file, even if files share a process and its imports. */

/** What tests draw by chance follows this seed, if there is one. Without it, most draw anew each time. */
const { TEST_SEED: seed } = process.env;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}

afterEach(cleanUp);
