import { Argument, type Command } from "commander";
import { type Answer, type CallerOptions, callerOf } from "./calling/caller.ts";
import { callingCommand, printAnswer, readJson } from "./calling/calling-command.ts";
import { groupCommand } from "./calling/generated-commands.ts";
import { printRun, type ShownRun, setExitCodeOf } from "./calling/show-run.ts";
import { colourOfState } from "./terminal/print-table.ts";
import { coloured, writeLine } from "./terminal/terminal.ts";

export const runsCommand = (): Command =>
  groupCommand("runs", "List runs, read them, follow them and settle them", [
    callingCommand("follow", "show a run until it ends or waits for a person; exit code 1 if it ended badly")
      .argument("<run>")
      .action(follow),
    callingCommand("approve", "approve what a waiting run asks for, or reject it")
      .argument("<run>")
      .option("--reject", "reject it: the run ends as failed")
      .option("--step <name>", "which step, in a run of several")
      .action(approve),
    callingCommand("resolve", "report whether a write happened whose response was lost")
      .argument("<run>")
      .addArgument(new Argument("<outcome>", "what you found at the system").choices(["happened", "did_not", "retry"]))
      .option("--step <name>", "which step, in a run of several")
      .option("--output <json>", "what the step would have returned, if you know it")
      .action(resolve),
  ]);

/** Each change of a step is a line; with --json the run at its end is the one value. */
async function follow(run: string, options: CallerOptions): Promise<void> {
  const shown = new Map<string, string>();
  let last: Answer | null = null;
  for await (const now of callerOf(options).follow(run)) {
    last = now;
    if (!options.json) printChanges(now as unknown as ShownRun, shown);
  }
  if (!last) return;
  if (options.json) writeLine(JSON.stringify(last));
  else printRun(last as unknown as ShownRun);
  setExitCodeOf(last as unknown as ShownRun);
}

function printChanges({ status, steps = [], waiting_for: waitingFor }: ShownRun, shown: Map<string, string>): void {
  const states = new Map([
    ...steps.map((step) => [`${step.name}  ${step.step}`, step.status] as const),
    ["run", waitingFor ? `${status} for ${waitingFor.kind}` : status] as const,
  ]);
  for (const [name, state] of states) {
    if (shown.get(name) === state) continue;
    shown.set(name, state);
    writeLine(`${name}  ${coloured(state, colourOfState("status", state.split(" ")[0] ?? ""))}`);
  }
}

async function approve(run: string, options: CallerOptions & { reject?: true; step?: string }): Promise<void> {
  const answer = await callerOf(options).call("/latest/runs/{run_id}/approve", {
    run_id: run,
    approved: options.reject !== true,
    ...(options.step === undefined ? {} : { step: options.step }),
  });
  printAnswer(options, answer);
}

async function resolve(
  run: string,
  outcome: string,
  options: CallerOptions & { step?: string; output?: string },
): Promise<void> {
  const answer = await callerOf(options).call("/latest/runs/{run_id}/resolve", {
    run_id: run,
    outcome,
    ...(options.step === undefined ? {} : { step: options.step }),
    ...(options.output === undefined ? {} : { output: readJson(options.output, "--output") }),
  });
  printAnswer(options, answer);
}
