import { Argument, Command, Option } from "commander";
import { type CallerOptions, callingCommand, callServer, readJson } from "./caller.ts";
import { print, printRows } from "./command.ts";

interface ListOptions extends CallerOptions {
  status?: string;
  limit: string;
}

interface RunRow {
  run_id: string;
  step_id: string | null;
  status: string;
  created_at: string;
  problem?: { code: string };
}

export const runsCommand = (): Command =>
  new Command("runs")
    .description("Look at runs, and settle those whose outcome is unknown, on a running server")
    .addCommand(
      callingCommand("list", "list the project's runs, newest first")
        .option("--status <status>", "only those: succeeded, failed, outcome_unknown …")
        .option("--limit <number>", "how many at most", "20")
        .action(list),
    )
    .addCommand(callingCommand("get", "show one run with every attempt, as JSON").argument("<run>").action(get))
    .addCommand(
      callingCommand("resolve", "say what became of a write whose answer was lost")
        .argument("<run>")
        .addArgument(
          new Argument("<outcome>", "what you found at the system").choices(["happened", "did_not", "retry"]),
        )
        .addOption(new Option("--step <name>", "which step, in a run of several"))
        .addOption(new Option("--output <json>", "what the step would have answered, where it is known"))
        .action(resolve),
    );

async function list(options: ListOptions): Promise<void> {
  const { results } = await callServer<{ results: RunRow[] }>(options, "runs/list", {
    limit: Number(options.limit),
    ...(options.status === undefined ? {} : { status: options.status }),
  });
  const rows = results.map(({ run_id, step_id, status, created_at, problem }) => ({
    run_id,
    step_id,
    status,
    problem: problem?.code ?? null,
    created_at,
  }));
  printRows(rows, options);
}

async function get(run: string, options: CallerOptions): Promise<void> {
  console.log(JSON.stringify(await callServer(options, `runs/${encodeURIComponent(run)}/get`), null, 2));
}

interface ResolveOptions extends CallerOptions {
  step?: string;
  output?: string;
}

async function resolve(run: string, outcome: string, options: ResolveOptions): Promise<void> {
  const settled = await callServer<RunRow>(options, `runs/${encodeURIComponent(run)}/resolve`, {
    outcome,
    ...(options.step === undefined ? {} : { step: options.step }),
    ...(options.output === undefined ? {} : { output: readJson(options.output, "--output") }),
  });
  print({ run_id: settled.run_id, status: settled.status }, options);
}
