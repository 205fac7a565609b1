import { useMemo } from "react";
import type { InputOf } from "../../../client/wire.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { momentOf, timeRanges } from "../runs/filter.ts";
import { kinds } from "./entry.ts";

export type AuditInput = Omit<InputOf<"/latest/audit/list">, "after" | "limit">;

/** The filters as the address holds them. */
export function useAuditFilter() {
  const [person, setPerson] = useSearchState("person");
  const [kind, setKind] = useSearchState("kind");
  const [time, setTime] = useSearchState("time");
  const [from, setFrom] = useSearchState("from");
  const [to, setTo] = useSearchState("to");
  const [text, setText] = useSearchState("text");
  const [scope, setScope] = useSearchState("scope");
  const input = useMemo((): AuditInput => {
    const range = timeRanges[time];
    const since = range ? new Date(Date.now() - range.hours * 3_600_000) : time === "custom" ? momentOf(from) : null;
    const until = time === "custom" ? momentOf(to) : null;
    return {
      ...(scope === "organization" ? { whole_organization: true } : {}),
      ...(person ? { user_id: person } : {}),
      ...(kind in kinds ? { action: kind } : {}),
      ...(since ? { since: since.toISOString() } : {}),
      ...(until ? { until: until.toISOString() } : {}),
      ...(text ? { text: text.slice(0, 200) } : {}),
    };
  }, [person, kind, time, from, to, text, scope]);
  const isFiltered = [person, kind, time, text].some(Boolean);
  const times = { time, setTime, from, setFrom, to, setTo };
  return { person, setPerson, kind, setKind, ...times, text, setText, scope, setScope, input, isFiltered };
}

export type AuditFilterState = ReturnType<typeof useAuditFilter>;
