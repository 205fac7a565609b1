import { useMemo } from "react";
import type { InputOf } from "../../../client/wire.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useTimeRange } from "../../state/use-time-range.ts";
import { kinds } from "./describe-entry.ts";

export type AuditInput = Omit<InputOf<"/latest/audit/list">, "after" | "limit">;

/** The filters as the address holds them. */
export function useAuditFilter() {
  const [person, setPerson] = useSearchState("person");
  const [kind, setKind] = useSearchState("kind");
  const range = useTimeRange();
  const { time, period } = range;
  const [text, setText] = useSearchState("text");
  const [scope, setScope] = useSearchState("scope");
  const input = useMemo((): AuditInput => {
    return {
      ...(scope === "organization" ? { whole_organization: true } : {}),
      ...(person ? { user_id: person } : {}),
      ...(kind in kinds ? { action: kind } : {}),
      ...period,
      ...(text ? { text: text.slice(0, 200) } : {}),
    };
  }, [person, kind, period, text, scope]);
  const isFiltered = [person, kind, time, text].some(Boolean);
  return { person, setPerson, kind, setKind, ...range, text, setText, scope, setScope, input, isFiltered };
}

export type AuditFilterState = ReturnType<typeof useAuditFilter>;
