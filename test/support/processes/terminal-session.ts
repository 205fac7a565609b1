import { connect } from "node:net";
import { createInterface } from "node:readline";
import { runCommandLine } from "../../../src/cli/command-line.ts";

/** The process of `openTerminal`: runs each command that it is sent, and marks the end of its output. */
const lines = createInterface({ input: connect(process.argv[2] ?? "") });
for await (const line of lines) {
  process.exitCode = 0;
  await runCommandLine(JSON.parse(line) as string[]);
  process.stdout.write(`\u0001${process.exitCode}\u0001`);
}
process.exit(0);
