import type { Attempt } from "../../steps/ports.ts";
import type { StepProblem } from "../../systems/step-problems.ts";
import type { Answer } from "../../systems/work.ts";

export type StepStatus = "running" | "waiting" | "succeeded" | "failed" | "skipped" | "outcome_unknown";

/** One step of a run, or one iteration of a foreach. */
export interface StepRecord {
  runId: string;
  position: number;
  /** The iteration of a foreach; -1 for the step as a whole. */
  turn: number;
  name: string;
  stepId: string;
  connectionId: string | null;
  status: StepStatus;
  input: unknown;
  output: unknown;
  warnings: string[];
  problem: StepProblem | null;
  attempts: readonly Attempt[];
  /** Answers to requests that changed something, in the order in which they were sent. */
  written: readonly Answer[];
  /** How often it was retried. */
  tries: number;
  /** How often the system was probed for a write whose answer was lost. */
  probes: number;
  startedAt: string;
  finishedAt: string | null;
  /** The fence of the claim that saved it last. */
  fence?: number;
}

export interface StepRow {
  run_id: string;
  position: number;
  turn: number;
  name: string;
  step_id: string;
  connection_id: string | null;
  status: string;
  input: string | null;
  output: string | null;
  output_bytes: number;
  warnings: string;
  problem: string | null;
  attempts: string;
  written: string;
  tries: number;
  looks: number;
  started_at: string;
  finished_at: string | null;
  fence: number;
}

export const toRecord = (row: StepRow): StepRecord => ({
  runId: row.run_id,
  position: row.position,
  turn: row.turn,
  name: row.name,
  stepId: row.step_id,
  connectionId: row.connection_id,
  status: row.status as StepStatus,
  input: row.input === null ? null : JSON.parse(row.input),
  output: row.output === null ? null : JSON.parse(row.output),
  warnings: JSON.parse(row.warnings) as string[],
  problem: row.problem === null ? null : (JSON.parse(row.problem) as StepProblem),
  attempts: JSON.parse(row.attempts) as Attempt[],
  written: JSON.parse(row.written) as Answer[],
  tries: row.tries,
  probes: row.looks,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  fence: row.fence,
});

/** Steps in their order, each with its rounds. A repeated step has one record for the whole. */
export function wholeStepsOf<T extends Pick<StepRecord, "position" | "turn">>(
  records: readonly T[],
): { whole: T; rounds: T[] }[] {
  return [...Map.groupBy(records, ({ position }) => position).values()].flatMap((rounds) => {
    const whole = rounds.find(({ turn }) => turn < 0) ?? rounds[0];
    return whole ? { whole, rounds } : [];
  });
}

export const hasLargeOutput = ({ output, output_bytes }: StepRow): boolean => output === null && output_bytes > 0;
