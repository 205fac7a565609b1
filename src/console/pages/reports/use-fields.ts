import { useMemo } from "react";
import { useRead } from "../../state/use-read.ts";
import type { Source } from "./settings.ts";

export interface Field {
  value: string;
  label: string;
  hint?: string | undefined;
}

/** The property's metrics or dimensions with their meaning. They are read once and searched in the browser. */
function useKind(kind: "metrics" | "dimensions", source: Source | undefined) {
  const ready = source !== undefined && source.account !== "" && source.property !== "";
  const asked = {
    step_id: "run_reports",
    field: kind,
    connection_id: source?.account ?? "",
    input: { property_id: source?.property ?? "" },
  };
  const options = { staleTime: 600_000 };
  const first = useRead("/latest/steps/{step_id}/options", asked, { ...options, when: ready });
  const after = first.data?.next ?? null;
  const second = useRead(
    "/latest/steps/{step_id}/options",
    { ...asked, after },
    { ...options, when: ready && after !== null },
  );
  const fields = useMemo<Field[]>(
    () => [...(first.data?.results ?? []), ...(second.data?.results ?? [])],
    [first.data, second.data],
  );
  return { fields, problem: first.error ?? second.error, isLoading: ready && first.isLoading };
}

export function useFields(source: Source | undefined) {
  const metrics = useKind("metrics", source);
  const dimensions = useKind("dimensions", source);
  const names = useMemo(
    () => new Map([...metrics.fields, ...dimensions.fields].map(({ value, label }) => [value, label])),
    [metrics.fields, dimensions.fields],
  );
  return {
    metrics,
    dimensions,
    problem: metrics.problem ?? dimensions.problem,
    nameOf: (field: string): string => names.get(field) ?? field,
  };
}

export type Fields = ReturnType<typeof useFields>;
