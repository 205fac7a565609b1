import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import type { FormContext } from "../form-context.ts";

/** Live options for a field, asked for when it has the focus. */
export function useOptions(context: FormContext, field: string, query: string, isOpen: boolean) {
  const wanted = useDeferredValue(query);
  const { loadOptions, optionsKey = "" } = context;
  return useQuery({
    queryKey: ["options", optionsKey, field, wanted],
    queryFn: () => loadOptions?.(field, wanted) ?? Promise.resolve([]),
    enabled: isOpen && Boolean(loadOptions) && (context.options ?? []).includes(field),
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
}
