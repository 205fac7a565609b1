import { exitCodes } from "../exit-codes.ts";
import { cleanText, fitText, padText, wrapText } from "../terminal/fit-text.ts";
import { printIndented } from "../terminal/print-record.ts";
import { colourOfState } from "../terminal/print-table.ts";
import { coloured, terminal, widthOf, writeLine } from "../terminal/terminal.ts";
import type { Answer } from "./caller.ts";
import { withCommands } from "./operations.ts";

interface ShownProblem {
  code: string;
  detail: string;
  remedy?: string;
}

interface ShownStep {
  name: string;
  step: string;
  status: string;
  problem?: ShownProblem;
  started_at?: string;
  finished_at?: string | null;
  attempts?: { ms?: number }[];
}

export interface ShownRun {
  run_id: string;
  tool_id?: string | null;
  step_id?: string | null;
  agent_id?: string | null;
  status: string;
  output?: unknown;
  problem?: ShownProblem;
  warnings?: string[];
  waiting_for?: { kind: string; detail: string; until?: string };
  steps?: ShownStep[];
  created_at?: string;
  finished_at?: string | null;
}

export const isRun = (answer: Answer): boolean =>
  typeof answer.run_id === "string" && typeof answer.status === "string" && "output" in answer;

/** A run for people: what it is, one line for each step, its output, and what to do next. */
export function printRun(run: ShownRun): void {
  printHead(run);
  printSteps(run.steps ?? []);
  for (const warning of run.warnings ?? []) printLead("warning", warning);
  if (run.output !== null && run.output !== undefined) {
    writeLine("output");
    printIndented(run.output);
  }
  printNext(run);
}

/** What was run stands on its own line where it would not fit: ids are copied whole. */
function printHead({ run_id: id, status, ...run }: ShownRun): void {
  const what = run.tool_id ?? run.step_id ?? run.agent_id ?? "";
  const time = secondsOf(run.created_at, run.finished_at);
  const line = (parts: string[]) => parts.filter(Boolean).join("  ");
  const fits = line([id, status, what, time]).length <= widthOfOutput();
  writeLine(line([id, state(status), ...(fits ? [what] : []), time]));
  if (!fits) writeLine(what);
}

const widthOfOutput = (): number => widthOf(terminal().stdout) ?? Number.POSITIVE_INFINITY;

const state = (status: string): string => coloured(status, colourOfState("status", status));

function printSteps(steps: readonly ShownStep[]): void {
  const stepWidth = Math.max(0, ...steps.map(({ step }) => step.length));
  const statusWidth = Math.max(0, ...steps.map(({ status }) => status.length));
  const left = widthOfOutput() - stepWidth - statusWidth - 6;
  const nameWidth = Math.min(left, Math.max(0, ...steps.map(({ name }) => name.length)));
  for (const step of steps) {
    const lead = `  ${padText(fitText(step.name, nameWidth), nameWidth)}  ${padText(step.step, stepWidth)}  `;
    const time = secondsOf(step.started_at, step.finished_at);
    const problem = step.problem ? `${step.problem.code}: ${cleanText(step.problem.detail)}` : "";
    const rest = [time, problem].filter(Boolean).join("  ");
    const room = widthOfOutput() - lead.length - statusWidth - 2;
    const padded = coloured(padText(step.status, statusWidth), colourOfState("status", step.status));
    writeLine(`${lead}${padded}  ${fitText(rest, Math.max(room, 0))}`.trimEnd());
  }
}

function secondsOf(from: string | undefined, until: string | null | undefined): string {
  if (!from || !until) return "";
  return `${((Date.parse(until) - Date.parse(from)) / 1000).toFixed(1)} s`;
}

function printNext({ run_id: id, status, problem, waiting_for: waitingFor }: ShownRun): void {
  const lines: [lead: string, text: string][] = [];
  if (problem) lines.push(["problem", `${problem.detail} (${problem.code})`]);
  if (problem?.remedy) lines.push(["", withCommands(problem.remedy)]);
  if (waitingFor) {
    const until = waitingFor.until ? ` (until ${waitingFor.until})` : "";
    lines.push(["waits", `for ${waitingFor.kind}: ${waitingFor.detail}${until}`]);
  }
  if (waitingFor?.kind === "approval") lines.push(["next", `\`signalbox runs approve ${id}\`, or with --reject`]);
  else if (status === "outcome_unknown")
    lines.push(["next", `\`signalbox runs resolve ${id} happened|did_not|retry\``]);
  else if (["queued", "running", "waiting"].includes(status)) lines.push(["next", `\`signalbox runs follow ${id}\``]);
  for (const [lead, text] of lines) printLead(lead, text);
}

const leadWidth = 9;

function printLead(lead: string, text: string): void {
  const room = widthOfOutput() - leadWidth;
  for (const [index, line] of wrapText(cleanText(text), room).entries()) {
    writeLine(`${padText(index === 0 ? lead : "", leadWidth)}${line}`);
  }
}

const bad = new Set(["failed", "cancelled", "outcome_unknown"]);

/** "1 a run ended badly." One that goes on has not ended. */
export function setExitCodeOf({ status }: Pick<ShownRun, "status">): void {
  if (bad.has(status)) terminal().exitCode = exitCodes.endedBadly;
}
