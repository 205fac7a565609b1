import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { SignalboxProblem } from "../../client/problem.ts";
import type { InputOf, OutputOf, Path } from "../../client/wire.ts";
import { callFor } from "./call-for.ts";
import { withConfirmation } from "./confirmation.ts";
import { useProjectId } from "./use-project.ts";
import { projectOf, useRefresh } from "./use-read.ts";

export interface WriteOptions<P extends Path> {
  /** Lists and records that this write changes. */
  changes?: Path[];
  onDone?: (output: OutputOf<P>, input: InputOf<P>) => void;
  outsideProject?: boolean;
  /** On pages of the organization: the project that is meant. */
  inProject?: string;
}

/**
 * Changes something. One submission has one Idempotency-Key, kept until the server has answered: a repeat after a lost
 * connection returns the first answer instead of writing again. A second click while the first is under way does nothing.
 */
export function useWrite<P extends Path>(path: P, options: WriteOptions<P> = {}) {
  const here = useProjectId();
  const projectId = projectOf(options, here);
  const refresh = useRefresh();
  const pending = useRef<{ text: string; key: string } | null>(null);
  const isUnderWay = useRef(false);
  const mutation = useMutation<OutputOf<P>, SignalboxProblem, InputOf<P>>({
    mutationFn: async (input) => {
      const text = JSON.stringify(input);
      if (pending.current?.text !== text) pending.current = { text, key: crypto.randomUUID() };
      const { key: idempotencyKey } = pending.current;
      const output = await withConfirmation(() => callFor(projectId)(path, input, { idempotencyKey }));
      pending.current = null;
      return output;
    },
    onSuccess: async (output, input) => {
      options.onDone?.(output, input);
      await refresh(...(options.changes ?? []));
    },
    onError: (problem) => {
      // The server has answered: the next submission is a new one. Without an answer the key stays.
      if (problem.status !== 0) pending.current = null;
      // What the page shows is not so any more.
      if (problem.status === 409) void refresh(...(options.changes ?? []));
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  return {
    run: (input: InputOf<P>) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      (mutation.mutate as (input: InputOf<P>) => void)(input);
    },
    isRunning: mutation.isPending,
    problem: mutation.error,
    output: mutation.data,
    reset: mutation.reset,
  };
}
