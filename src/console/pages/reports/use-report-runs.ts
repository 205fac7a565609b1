import { useMemo } from "react";
import { useReads } from "../../state/use-read.ts";
import { asProblem } from "../../state/use-step-read.ts";
import { readResult } from "./read-result.ts";

/**
 * The runs that the address names, and their results. Reading them asks the system for nothing: a shared link shows the same
 * figures and costs no tokens.
 */
export function useReportRuns(ids: readonly string[], labelOf: (account: string, property: string) => string) {
  const reads = useReads(
    "/latest/runs/{run_id}/get",
    ids.map((run_id) => ({ run_id })),
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const runs = reads.map(({ data }) => data);
  const large = runs.flatMap((run) =>
    run?.large_output ? [{ run_id: run.run_id, handle: run.large_output.handle }] : [],
  );
  const wholes = useReads("/latest/runs/{run_id}/output", large, { staleTime: Number.POSITIVE_INFINITY });
  const outputs = runs.map((run) => {
    if (!run) return undefined;
    if (!run.large_output) return run.output ?? undefined;
    const at = large.findIndex(({ run_id }) => run_id === run.run_id);
    return wholes[at]?.data?.output;
  });
  const failed = runs.find((run) => run?.problem)?.problem;
  const refused = reads.find(({ error }) => error)?.error ?? wholes.find(({ error }) => error)?.error ?? null;
  const key = outputs.map((output, index) => (output === undefined ? "" : (ids[index] ?? ""))).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: an output never changes; the ids of the loaded ones say it all.
  const results = useMemo(() => {
    if (outputs.length === 0 || outputs.some((output) => output === undefined)) return null;
    return outputs.map((output, index) => {
      const run = runs[index];
      const { property_id } = (run?.params ?? {}) as { property_id?: string };
      return readResult(labelOf(run?.connection_id ?? "", String(property_id ?? "")), output);
    });
  }, [key, labelOf]);
  return {
    results,
    runs,
    problem: refused ?? (failed ? asProblem(failed) : null),
    isLoading: ids.length > 0 && results === null && refused === null && !failed,
    warnings: [...new Set(runs.flatMap((run) => run?.warnings ?? []))],
  };
}
