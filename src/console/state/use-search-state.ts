import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** One member of the address's query as state: reload, back and a shared link show the same thing. */
export function useSearchState(name: string): [value: string, set: (value: string) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const change = useChangeSearch();
  const raw = search[name];
  const value = raw === undefined || raw === null ? "" : String(raw);
  const set = useCallback((next: string) => change({ [name]: next }), [name, change]);
  return [value, set];
}

/** Changes several members at once; an empty text removes one. */
export function useChangeSearch(): (changes: Record<string, string>) => void {
  const navigate = useNavigate();
  return useCallback(
    (changes) => {
      const members = Object.entries(changes).map(([name, value]) => [name, value === "" ? undefined : value]);
      void navigate({
        to: ".",
        search: (before: Record<string, unknown>) => ({ ...before, ...Object.fromEntries(members) }),
        replace: true,
      } as never);
    },
    [navigate],
  );
}
