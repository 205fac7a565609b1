import type { RunRecord, StepOfRun } from "../../runs/describe-status.ts";

/** A call that the model asked for, and what became of it. */
export interface CallView {
  /** As the model named it. */
  name: string;
  input: unknown;
  /** Null until it is made; a call that a person refused has none. */
  step: StepOfRun | null;
  /** Where the run's page shows it: the position of its step, from 1. */
  position: number | null;
  /** Null where nobody is asked. */
  approval: StepOfRun | null;
}

/** One turn of the model: what it said, and what it asked for. */
export interface TurnView {
  step: StepOfRun;
  text: string;
  calls: CallView[];
}

interface Said {
  text?: unknown;
  tool_calls?: { name: string; input: unknown }[];
}

/** The steps of an agent's run as turns: `turn_1`, `turn_1_call_1_approval`, `turn_1_call_1`, `turn_2` and so on. */
export function turnsOf({ steps }: Pick<RunRecord, "steps">): TurnView[] {
  const positions = new Map(steps.map(({ name }, index) => [name, index]));
  const find = (name: string): StepOfRun | null => steps[positions.get(name) ?? -1] ?? null;
  return steps
    .filter(({ step, name }) => step === "model" && /^turn_\d+$/.test(name))
    .map((turn) => {
      const said = (turn.output ?? {}) as Said;
      return {
        step: turn,
        text: typeof said.text === "string" ? said.text.trim() : "",
        calls: (said.tool_calls ?? []).map(({ name, input }, index) => {
          const own = `${turn.name}_call_${index + 1}`;
          const position = positions.get(own) ?? positions.get(`${own}_approval`);
          return {
            name,
            input,
            step: find(own),
            position: position === undefined ? null : position + 1,
            approval: find(`${own}_approval`),
          };
        }),
      };
    });
}

/** How a call stands. */
export function stateOf({ step, approval }: CallView, runStatus: RunRecord["status"]): string {
  if (step) return step.status;
  if (approval?.status === "failed") return "failed";
  if (approval?.status === "waiting") return "waiting";
  return runStatus === "failed" || runStatus === "cancelled" ? "skipped" : "queued";
}

/** The run of the tool that a call started. */
export function childRunOf({ step }: CallView): string | null {
  const output = step?.step === "tool" ? (step.output as { run_id?: unknown } | null) : null;
  return typeof output?.run_id === "string" ? output.run_id : null;
}
