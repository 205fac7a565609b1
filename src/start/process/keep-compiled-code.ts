import { setFlagsFromString } from "node:v8";

/**
 * Two habits of V8 are made for pages, not for servers. It forgets the bytecode of what has not been interpreted for six
 * collections, and with it what it learned about it; and in a pause of some seconds it collects all that it can, upon which
 * code that was compiled for the shapes of objects now gone is thrown away. After each pause a server would be compiled anew,
 * bit by bit, under its next load: creating invites beside another server, each in its turn, reached 0.30 of the bare server
 * with both habits and 0.33 without (npm run bench -- calls). A long rest still gives memory back (give-back-memory.ts).
 */
export function keepCompiledCode(): void {
  setFlagsFromString("--no-flush-bytecode");
  setFlagsFromString("--no-memory-reducer");
}
