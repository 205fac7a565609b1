import { afterAll, afterEach } from "vitest";
import { closeBrowser } from "./browser.ts";
import { cleanUp } from "./stores.ts";

/** Runs for each test file, even if files share a process and its imports. */

afterEach(cleanUp);
afterAll(closeBrowser);
