import { Command, CommanderError } from "commander";
import { reportFailure } from "./command.ts";
import { type findCommand, sections } from "./commands.ts";

/** Loads the one command that is called, and runs it. */
export async function runCommand(args: string[], find: typeof findCommand): Promise<void> {
  const entry = find(args[0] ?? "");
  const program = new Command("signalbox").showHelpAfterError("(`signalbox --help` lists the commands)");
  // Known by name alone: their suggestions for a misspelt word cost nothing.
  const others = sections.flatMap(({ commands }) => commands).filter((command) => command !== entry);
  for (const { name, summary } of others) program.addCommand(new Command(name).description(summary));
  if (entry) program.addCommand(await entry.load());
  exitByThrowing(program);
  await program.parseAsync(args, { from: "user" }).catch((error) => {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else reportFailure(error);
  });
}

/** A mistake in the arguments is exit code 2, not commander's 1. */
function exitByThrowing(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) exitByThrowing(each);
}
