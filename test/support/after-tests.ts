import { afterAll, afterEach } from "vitest";
import { closeBrowser } from "./browser.ts";
import { cleanUp } from "./stores.ts";

/** Run for each file of tests, also where files share a process and everything that was imported in it. */

afterEach(cleanUp);
afterAll(closeBrowser);
