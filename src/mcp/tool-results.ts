import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Problem, problems, shortErrors } from "../kernel/problem.ts";

/** What an assistant reads: the whole output for its program, and as much text as a model should read at once. */
const textLengthMax = 32 * 1024;
/** A larger output would stop the process while it is written: the run keeps it. */
export const resultLengthMax = 256 * 1024;

export interface ShownProblem {
  code: string;
  detail: string;
  remedy: string;
}

/** A run, as the operations return it. */
export interface RunResponse {
  run_id: string;
  status: string;
  output?: unknown;
  large_output?: { bytes: number; preview: string };
  problem?: ShownProblem;
  waiting_for?: { kind: string; detail: string; step?: string; request?: unknown };
  warnings?: string[];
}

const openStatuses = new Set(["queued", "running", "waiting"]);

export const hasEnded = ({ status }: RunResponse): boolean => !openStatuses.has(status);

export const runUri = (runId: string): string => `signalbox://runs/${runId}`;

export function resultOf(run: RunResponse): CallToolResult {
  if (run.status === "succeeded") return run.large_output ? tooLarge(run, run.large_output) : succeeded(run);
  if (!hasEnded(run)) return unfinished(run);
  return failed(run.problem ?? problemOfStatus(run), run.run_id);
}

function succeeded({ run_id: runId, output = null, warnings = [] }: RunResponse): CallToolResult {
  const text = JSON.stringify(output);
  const isLong = text.length > textLengthMax;
  const shown = isLong ? `${text.slice(0, textLengthMax)}…` : text;
  return {
    content: [
      { type: "text", text: shown },
      ...warnings.map((warning) => ({ type: "text" as const, text: `Warning: ${warning}` })),
      ...(isLong ? [linkTo(runId)] : []),
    ],
    structuredContent: output,
    _meta: { "signalbox/run_id": runId },
  };
}

const linkTo = (runId: string) => ({
  type: "resource_link" as const,
  uri: runUri(runId),
  name: runId,
  title: "The whole run",
  mimeType: "application/json",
});

/** The run has succeeded; its output is not handed over, because nobody could read it here. */
export function tooLarge(
  run: { run_id: string },
  { bytes, preview }: { bytes: number; preview: string },
): CallToolResult {
  const problem = {
    code: "output_too_large",
    detail: `The run succeeded, and its output of ${bytes} bytes is larger than a result may be (${resultLengthMax}).`,
    remedy: "Ask for less, such as a smaller `limit` or fewer fields, or read the run with `runs/{run_id}/output`.",
  };
  const result = failed(problem, run.run_id);
  const beginning = { type: "text" as const, text: `It begins: ${preview.slice(0, 2000)}…` };
  return { ...result, content: [...result.content, beginning, linkTo(run.run_id)] };
}

/** Still at work, or waiting for a person. */
function unfinished({ run_id: runId, status, waiting_for: waitingFor }: RunResponse): CallToolResult {
  const why = waitingFor ? ` ${waitingFor.detail}` : "";
  return {
    content: [
      { type: "text", text: `The run ${runId} has not ended: it is ${status}.${why} Read it later at its address.` },
      linkTo(runId),
    ],
    structuredContent: {
      unfinished_run: { run_id: runId, status, ...(waitingFor && { waiting_for: shownOf(waitingFor) }) },
    },
    _meta: { "signalbox/run_id": runId },
  };
}

/** Without the request, which can be long. */
const shownOf = ({ kind, detail, step }: NonNullable<RunResponse["waiting_for"]>) => ({ kind, detail, step });

const problemOfStatus = ({ status }: RunResponse): ShownProblem => ({
  code: `run_${status}`,
  detail: `The run ended as ${status}.`,
  remedy: "Read the run to see what happened.",
});

export const failed = (problem: ShownProblem, runId?: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: `${problem.detail} ${problem.remedy}` }],
  structuredContent: problem,
  ...(runId !== undefined && { _meta: { "signalbox/run_id": runId } }),
});

/** A refused call: the assistant can correct it. */
export function refused(problem: Problem): CallToolResult {
  const { code, status, message: detail, extras } = problem;
  const { remedy } = problems[code];
  const errors = extras.errors && shortErrors(extras.errors);
  const listed = errors?.map(({ pointer, detail: said }) => `${pointer}: ${said}`).join("\n");
  const result = failed({ code, detail, remedy });
  return {
    ...result,
    content: [...result.content, ...(listed ? [{ type: "text" as const, text: listed }] : [])],
    structuredContent: { code, status, detail, remedy, ...(errors && { errors }), ...extras.more },
  };
}
