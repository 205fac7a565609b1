import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { SignalboxProblem } from "../../client/problem.ts";
import type { InputOf, OutputOf, Path } from "../../client/wire.ts";
import { callFor } from "./call-for.ts";
import { useProjectId } from "./use-project.ts";
import { useRefresh } from "./use-read.ts";

/**
 * Sends several inputs to one operation at once, all or none as far as the page is concerned. Each input keeps its Idempotency-Key
 * until all are answered: a repeat after a lost connection returns the answers that are there, and sends only the rest.
 */
export function useBatch<P extends Path>(
  path: P,
  { changes = [], onDone }: { changes?: Path[]; onDone: (outputs: OutputOf<P>[]) => void },
) {
  const projectId = useProjectId();
  const refresh = useRefresh();
  const keys = useRef(new Map<string, string>());
  const isUnderWay = useRef(false);
  const mutation = useMutation<OutputOf<P>[], SignalboxProblem, InputOf<P>[]>({
    mutationFn: (inputs) =>
      Promise.all(
        inputs.map((input, index) => {
          const name = `${index} ${JSON.stringify(input)}`;
          const idempotencyKey = keys.current.get(name) ?? crypto.randomUUID();
          keys.current.set(name, idempotencyKey);
          return callFor(projectId)(path, input, { idempotencyKey });
        }),
      ) as Promise<OutputOf<P>[]>,
    onSuccess: async (outputs) => {
      keys.current.clear();
      onDone(outputs);
      await refresh(...changes);
    },
    onError: ({ status }) => {
      // The server has refused: the next submission is a new one.
      if (status !== 0) keys.current.clear();
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  return {
    run: (inputs: InputOf<P>[]) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      (mutation.mutate as (inputs: InputOf<P>[]) => void)(inputs);
    },
    isRunning: mutation.isPending,
    problem: mutation.error,
  };
}
