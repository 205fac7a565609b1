import { useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import type { Account } from "../../state/use-accounts.ts";
import { useReads } from "../../state/use-read.ts";
import { useChangeSearch } from "../../state/use-search-state.ts";
import { readSettings, type Settings, writeSettings } from "./settings.ts";
import type { Field } from "./use-fields.ts";

/** The properties that each account reaches, by the account's id. */
export function useProperties(accountIds: readonly string[]): Map<string, Field[] | undefined> {
  const ids = [...new Set(accountIds)].filter(Boolean);
  const asked = ids.map((connection_id) => ({ step_id: "run_reports", field: "property_id", connection_id }));
  const reads = useReads("/latest/steps/{step_id}/options", asked, { staleTime: 300_000 });
  return new Map(ids.map((id, index) => [id, reads[index]?.data?.results]));
}

/** The settings in the address. Without a source there, the first property of the first account is offered. */
export function useSettings(accounts: readonly Account[] | undefined, canAsk: boolean) {
  const address = useSearch({ strict: false }) as Record<string, unknown>;
  const changeSearch = useChangeSearch();
  const written = useMemo(() => readSettings(address), [address]);
  const first = accounts?.find(({ state }) => state === "connected") ?? accounts?.[0];
  const wanted = [...written.sources.map(({ account }) => account), first?.connection_id ?? ""];
  const properties = useProperties(canAsk ? wanted : []);
  const offered = first && {
    account: first.connection_id,
    property: properties.get(first.connection_id)?.[0]?.value ?? "",
  };
  const settings: Settings = written.sources.length > 0 || !offered ? written : { ...written, sources: [offered] };
  const change = useCallback(
    (next: Settings, more: Record<string, string> = {}) => changeSearch({ ...writeSettings(next), ...more }),
    [changeSearch],
  );
  return { settings, change, properties };
}
