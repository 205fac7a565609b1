import { setFlagsFromString } from "node:v8";

/**
 * Two defaults of V8 suit web pages, not servers. It drops the bytecode of functions that were not interpreted for six
 * collections, with its type feedback. In a pause of some seconds it collects all garbage, and then discards code that
 * was compiled for object shapes that no longer exist. After each pause a server would be compiled again, bit by bit,
 * under its next load: creating invites beside another server, each in its turn, reached 0.30 of the bare server with
 * both defaults and 0.33 without (npm run bench -- calls). A long idle time still releases memory (release-memory.ts).
 */
export function keepCompiledCode(): void {
  setFlagsFromString("--no-flush-bytecode");
  setFlagsFromString("--no-memory-reducer");
}
