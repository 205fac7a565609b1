import { useCallback, useMemo } from "react";
import { useRead } from "../../state/use-read.ts";
import { useNames } from "../runs/use-names.ts";
import type { FindName } from "./describe-entry.ts";

/** Names of what rows are about: tools, steps, agents and accounts of the project, as far as they still exist. */
export function useFindName(): FindName {
  const names = useNames();
  const { data } = useRead("/latest/connections/list", { limit: 100 }, { staleTime: 60_000 });
  const labels = useMemo(
    () => new Map(data?.results.map(({ connection_id, label }) => [connection_id, label])),
    [data],
  );
  return useCallback((id) => names.find(id) ?? labels.get(id) ?? null, [names, labels]);
}
