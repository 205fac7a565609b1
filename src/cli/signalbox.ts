import { findCommand } from "./commands.ts";
import { helpText, versionText } from "./help.ts";

// Files of this process, such as databases and keys, are readable by its own user only.
process.umask(0o077);

const [name, ...rest] = process.argv.slice(2);
if (name === undefined) {
  process.stderr.write(helpText());
  process.exitCode = 2;
} else if (name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
  process.stdout.write(helpText());
} else if (name === "--version" || name === "-V") {
  process.stdout.write(`${versionText()}\n`);
} else {
  // Loaded on demand: the help above must not wait for it.
  const { runCommand } = await import("./run-command.ts");
  await runCommand(name === "help" ? [...rest, "--help"] : [name, ...rest], findCommand);
}
