import { useMemo } from "react";
import { useReads } from "../../state/use-read.ts";
import { asProblem } from "../../state/use-step-read.ts";
import { readResult } from "./read-result.ts";

/** What a source is called; with several accounts, their names tell properties of the same name apart. */
type LabelOf = (account: string, property: string, isOneAccount: boolean) => string;

/**
 * The runs that the address names, and their results. Reading them asks the system for nothing: a shared link shows the same
 * figures and costs no tokens.
 */
export function useReportRuns(ids: readonly string[], labelOf: LabelOf) {
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
    const isOneAccount = new Set(runs.map((run) => run?.connection_id)).size === 1;
    const labels = runs.map((run) => {
      const { property_id } = (run?.params ?? {}) as { property_id?: string };
      return labelOf(run?.connection_id ?? "", String(property_id ?? ""), isOneAccount);
    });
    return outputs.map((output, index) => readResult(uniqueLabel(labels, index), output));
  }, [key, labelOf]);
  return {
    results,
    runs,
    problem: refused ?? (failed ? asProblem(failed) : null),
    isLoading: ids.length > 0 && results === null && refused === null && !failed,
    warnings: [...new Set(runs.flatMap((run) => run?.warnings ?? []))],
  };
}

/** The same property twice is numbered: a chart and a table know a source by its name. */
function uniqueLabel(labels: string[], index: number): string {
  const label = labels[index] ?? "";
  const isFirst = labels.indexOf(label) === index;
  return isFirst ? label : `${label} (${index + 1})`;
}
