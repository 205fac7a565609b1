import type { RecordOf } from "../../client/wire.ts";
import { useRead } from "./use-read.ts";

export type Account = RecordOf<"/latest/connections/list">;

/** The connected accounts of one system, without removed ones. */
export function useAccounts(system: string) {
  const { data, error, refetch } = useRead("/latest/connections/list", { limit: 100 }, { staleTime: 10_000 });
  const accounts = data?.results.filter((each) => each.system === system && each.state !== "removed");
  return { accounts, problem: error, refetch: () => void refetch() };
}

export const accountName = ({ label, instance, state }: Account): string =>
  `${label} · ${instance}${state === "connected" ? "" : " (needs reconnecting)"}`;
