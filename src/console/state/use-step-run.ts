import { useMemo } from "react";
import type { OutputOf } from "../../client/wire.ts";
import { asProblem } from "./use-step-read.ts";
import { useWrite } from "./use-write.ts";

type Answer = Extract<OutputOf<"/latest/steps/{step_id}/run">, { run_id: string }>;

/** Runs one step as a person's own action. A run that failed is a problem like any other; `unknown` names one that a person has to settle. */
export function useStepRun(onDone: (output: Record<string, unknown>) => void) {
  const write = useWrite("/latest/steps/{step_id}/run", {
    changes: ["/latest/steps/{step_id}/read", "/latest/steps/{step_id}/options", "/latest/runs/list"],
    onDone: (answer) => {
      const { status, output } = answer as Answer;
      if (status === "succeeded") onDone((output ?? {}) as Record<string, unknown>);
    },
  });
  const answer = write.output as Answer | undefined;
  const refused = answer?.status === "failed" ? answer.problem : undefined;
  const isOpen = answer !== undefined && answer.status !== "succeeded" && answer.status !== "failed";
  return {
    run: (stepId: string, connectionId: string, input: Record<string, unknown>) =>
      write.run({ step_id: stepId, connection_id: connectionId, input }),
    isRunning: write.isRunning,
    problem: useMemo(() => write.problem ?? (refused ? asProblem(refused) : null), [write.problem, refused]),
    unknown: isOpen ? answer.run_id : null,
    reset: write.reset,
  };
}
