/*
 * The program with all of its code at hand: it begins when its parent says so. Most of a start is loading.
 */
import "../../src/main.ts";

await new Promise((resolve) => process.once("message", resolve));
process.channel?.unref();
await import("../../src/cli/signalbox.ts");
