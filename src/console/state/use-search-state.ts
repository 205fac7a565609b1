import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** One member of the address's query as state: reload, back and a shared link show the same thing. */
export function useSearchState(name: string): [value: string, set: (value: string) => void] {
  const value = useMember(name);
  const change = useChangeSearch();
  const set = useCallback((next: string) => change({ [name]: next }), [name, change]);
  return [value, set];
}

/** The same for a record that opens over the page, or a form that takes its place: the browser's Back closes it. */
export function useOpenState(name: string): [value: string, set: (value: string) => void] {
  const value = useMember(name);
  const router = useRouter();
  const navigate = useNavigate();
  const change = useChangeSearch();
  const set = useCallback(
    (next: string) => {
      const { opened } = router.history.location.state as { opened?: string };
      const isOpen = new URLSearchParams(router.history.location.search).has(name);
      if (next === "" && opened === name) router.history.back();
      else if (next === "" || isOpen) change({ [name]: next });
      else void navigate({ ...withMembers({ [name]: next }), state: { opened: name } } as never);
    },
    [name, router, navigate, change],
  );
  return [value, set];
}

/** Changes several members at once; an empty text removes one. */
export function useChangeSearch(): (changes: Record<string, string>) => void {
  const navigate = useNavigate();
  return useCallback((changes) => void navigate({ ...withMembers(changes), replace: true } as never), [navigate]);
}

function useMember(name: string): string {
  const raw = (useSearch({ strict: false }) as Record<string, unknown>)[name];
  return raw === undefined || raw === null ? "" : String(raw);
}

/** The same page with another query, at the place to which it is scrolled. */
function withMembers(changes: Record<string, string>) {
  const members = Object.entries(changes).map(([name, value]) => [name, value === "" ? undefined : value]);
  return {
    to: ".",
    search: (before: Record<string, unknown>) => ({ ...before, ...Object.fromEntries(members) }),
    resetScroll: false,
  };
}
