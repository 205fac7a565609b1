import { useMemo } from "react";
import { SignalboxProblem } from "../../client/problem.ts";
import { type ReadOptions, useRead } from "./use-read.ts";

interface StepRead<T> {
  output: T | undefined;
  warnings: string[];
  /** A refusal of ours or of the system. */
  problem: SignalboxProblem | null;
  isFetching: boolean;
  refetch: () => void;
}

/** Reads with a step through policy, limits and account, without making a run. */
export function useStepRead<T>(
  stepId: string,
  connectionId: string,
  input: Record<string, unknown>,
  options: ReadOptions = {},
): StepRead<T> {
  const { data, error, isFetching, refetch } = useRead(
    "/latest/steps/{step_id}/read",
    { step_id: stepId, connection_id: connectionId, input },
    options,
  );
  const refused = data?.problem;
  return {
    output: data?.status === "succeeded" ? (data.output as T) : undefined,
    warnings: data?.warnings ?? [],
    problem: useMemo(() => error ?? (refused ? asProblem(refused) : null), [error, refused]),
    isFetching,
    refetch: () => void refetch(),
  };
}

interface StepProblem {
  code: string;
  detail: string;
  remedy: string;
  retry: string;
}

/** How a step failed, as a refusal that the page can show: its sentence, its remedy, and whether a repeat may help. */
export const asProblem = (problem: StepProblem): SignalboxProblem =>
  new SignalboxProblem(problem.retry === "later" ? 503 : 409, { ...problem });
