import type { Command } from "commander";
import { type CallerOptions, callerOf } from "./calling/caller.ts";
import {
  callingCommand,
  type ListOptions,
  listingCommand,
  printList,
  printRunAnswer,
  readJson,
  readNumber,
} from "./calling/calling-command.ts";
import { groupCommand } from "./calling/generated-commands.ts";
import { requireOperation } from "./calling/operations.ts";

interface RunOptions extends CallerOptions {
  connection: string;
  input: string;
  wait?: string;
  dryRun?: true;
}

export const stepsCommand = (): Command =>
  groupCommand("steps", "Find steps and run them", [
    listingCommand("search", "find steps by what they are for")
      .argument("<query>")
      .action((query: string, options: ListOptions) =>
        printList(options, requireOperation("/latest/steps/search"), { query }),
      ),
    callingCommand("run", "run a step; exit code 1 if the run ended badly")
      .argument("<step>", "its id, as `steps search` shows it")
      .requiredOption("--connection <id>", "the account to act as, con_…")
      .option("--input <json>", "the step's input", "{}")
      .option("--wait <seconds>", "how long it may wait for a limit")
      .option("--dry-run", "show what would be sent, and send nothing")
      .action(run),
  ]);

async function run(step: string, options: RunOptions): Promise<void> {
  const answer = await callerOf(options).call("/latest/steps/{step_id}/run", {
    step_id: step,
    connection_id: options.connection,
    input: readJson(options.input, "--input"),
    ...(options.wait === undefined ? {} : { wait_seconds: readNumber(options.wait, "--wait") }),
    ...(options.dryRun ? { dry_run: true } : {}),
  });
  printRunAnswer(options, answer);
}
