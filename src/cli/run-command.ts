import { Command, CommanderError } from "commander";
import { type findCommand, sections } from "./commands.ts";
import { CommandRefused, exitCodes, reportRefusal } from "./exit-codes.ts";
import { foldedLines } from "./terminal/fit-text.ts";
import { terminal, widthOf } from "./terminal/terminal.ts";

/** Loads the one command that is called, and runs it. */
export async function runCommand(args: string[], find: typeof findCommand): Promise<void> {
  const asJson = args.includes("--json");
  try {
    await (await programFor(args, find, asJson)).parseAsync(args, { from: "user" });
  } catch (error) {
    const refused = await asRefusal(error, asJson);
    if (refused) reportRefusal(refused, asJson);
  }
}

async function programFor(args: string[], find: typeof findCommand, asJson: boolean): Promise<Command> {
  const entry = find(args[0] ?? "");
  const program = new Command("signalbox");
  // Known by name alone: their suggestions for a misspelt word cost nothing.
  const others = sections.flatMap(({ commands }) => commands).filter((command) => command !== entry);
  for (const { name, summary } of others) program.addCommand(new Command(name).description(summary));
  if (entry) program.addCommand(await entry.load());
  prepare(program, asJson);
  return program;
}

/** A mistake in the arguments is exit code 2, not commander's 1, and with --json a problem like any other. */
function prepare(command: Command, asJson: boolean): void {
  const { stdout, stderr } = terminal();
  command
    .exitOverride()
    .showHelpAfterError(asJson ? false : "(add --help for the commands and options)")
    .configureOutput({
      // Paragraphs after the options are one line each.
      writeOut: (text) => void stdout.write(foldedLines(text, helpWidth(stdout)).join("\n")),
      writeErr: (text) => void (asJson || stderr.write(foldedLines(text, widthOf(stderr)).join("\n"))),
      getOutHelpWidth: () => helpWidth(stdout),
      getErrHelpWidth: () => helpWidth(stderr),
    });
  for (const each of command.commands) prepare(each, asJson);
}

/** Longer lines are hard to read, and what reads no terminal may show 80 columns. */
const helpWidth = ({ columns = 80 }: { columns?: number | undefined }): number => Math.min(columns, 100);

async function asRefusal(error: unknown, asJson: boolean): Promise<CommandRefused | null> {
  if (error instanceof CommandRefused) return error;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    const usage = new CommandRefused(error.message.replace(/^error: /, ""), exitCodes.usage);
    if (asJson) return usage;
    // Commander has written the sentence already.
    terminal().exitCode = exitCodes.usage;
    return null;
  }
  // Loaded on demand: only commands that work on a store know these, and have loaded them.
  const { refusalOf } = await import("./operator-failures.ts");
  const known = refusalOf(error);
  if (known) return known;
  terminal().exitCode = exitCodes.endedBadly;
  terminal().stderr.write(`signalbox: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
  return null;
}
