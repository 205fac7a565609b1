/*
 * The program with all of its code at hand: it begins when its parent says so. Most of a start is loading.
 */
import { flushCompileCache } from "node:module";
import "../../../src/main.ts";

// It is written when a process ends in good order, and most of these do not.
flushCompileCache();
await new Promise((resolve) => process.once("message", resolve));
process.channel?.unref();
await import("../../../src/cli/signalbox.ts");
