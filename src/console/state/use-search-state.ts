import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** One member of the address's query as state: reload, back and a shared link show the same thing. */
export function useSearchState(name: string): [value: string, set: (value: string) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const raw = search[name];
  const value = raw === undefined || raw === null ? "" : String(raw);
  const set = useCallback(
    (next: string) => {
      void navigate({
        to: ".",
        search: (before: Record<string, unknown>) => ({ ...before, [name]: next === "" ? undefined : next }),
        replace: true,
      } as never);
    },
    [name, navigate],
  );
  return [value, set];
}
