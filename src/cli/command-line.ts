import { findCommand } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { helpText, versionText } from "./help.ts";
import { terminal } from "./terminal/terminal.ts";

/** One call of `signalbox`, without its name. It ends with the terminal's exit code. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const { stdout, stderr } = terminal();
  const [name, ...rest] = args;
  if (name === undefined) {
    stderr.write(helpText());
    terminal().exitCode = exitCodes.usage;
  } else if (name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    stdout.write(helpText());
  } else if (name === "--version" || name === "-V") {
    stdout.write(`${versionText()}\n`);
  } else if (name === "__complete") {
    // What the scripts of `signalbox completion` call: the words so far, the last one unfinished.
    const { candidatesFor } = await import("./completion/candidates.ts");
    for (const { value, means } of await candidatesFor(rest)) stdout.write(`${value}\t${means}\n`);
  } else {
    // Loaded on demand: the help above must not wait for it.
    const { runCommand } = await import("./run-command.ts");
    await runCommand(name === "help" ? [...rest, "--help"] : [name, ...rest], findCommand);
  }
}
