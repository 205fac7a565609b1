import { Command } from "commander";
import { type CallerOptions, callingCommand, callServer, readJson } from "./caller.ts";
import { print, printRows } from "./command.ts";

interface RunOptions extends CallerOptions {
  connection: string;
  input: string;
  wait?: string;
  dryRun?: true;
}

interface StepRow {
  step_id: string;
  title: string;
  system: string;
  effect: string;
  summary: string;
}

interface RunEnd {
  run_id?: string;
  status?: string;
  problem?: { code: string; detail: string; remedy: string };
}

export const stepsCommand = (): Command =>
  new Command("steps")
    .description("Find steps and run them, on a running server")
    .addCommand(callingCommand("list", "list the steps").action(list))
    .addCommand(callingCommand("search", "find steps by what they are for").argument("<query>").action(search))
    .addCommand(callingCommand("get", "show a step's schemas and examples, as JSON").argument("<step>").action(get))
    .addCommand(
      callingCommand("run", "run a step; exit code 1 where the run did not succeed")
        .argument("<step>", "such as list_deployments")
        .requiredOption("--connection <id>", "the account to act as, con_…")
        .option("--input <json>", "the step's input", "{}")
        .option("--wait <seconds>", "how long it may wait for a limit")
        .option("--dry-run", "show what would be sent, and send nothing")
        .action(run),
    );

async function list(options: CallerOptions): Promise<void> {
  const { results } = await callServer<{ results: StepRow[] }>(options, "steps/list");
  printRows(results.map(toRow), options);
}

async function search(query: string, options: CallerOptions): Promise<void> {
  const { results } = await callServer<{ results: StepRow[] }>(options, "steps/search", { query });
  printRows(results.map(toRow), options);
}

const toRow = ({ step_id, title, system, effect, summary }: StepRow) => ({ step_id, title, system, effect, summary });

async function get(step: string, options: CallerOptions): Promise<void> {
  console.log(JSON.stringify(await callServer(options, `steps/${encodeURIComponent(step)}/get`), null, 2));
}

async function run(step: string, options: RunOptions): Promise<void> {
  const ended = await callServer<RunEnd>(options, `steps/${encodeURIComponent(step)}/run`, {
    connection_id: options.connection,
    input: readJson(options.input, "--input"),
    ...(options.wait === undefined ? {} : { wait_seconds: Number(options.wait) }),
    ...(options.dryRun ? { dry_run: true } : {}),
  });
  print({ ...ended }, options);
  if (!options.dryRun && ended.status !== "succeeded") process.exitCode = 1;
}
