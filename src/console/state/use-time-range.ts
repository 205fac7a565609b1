import { useMemo } from "react";
import { useSearchState } from "./use-search-state.ts";

/** How far back a list reaches, by the word in the address. */
export const timeRanges: Record<string, { label: string; hours: number }> = {
  "1h": { label: "Last hour", hours: 1 },
  "24h": { label: "Last 24 hours", hours: 24 },
  "7d": { label: "Last 7 days", hours: 168 },
  "30d": { label: "Last 30 days", hours: 720 },
};

/** The period of a list, kept in the address: one of the ranges, or `custom` with two times of its own. */
export function useTimeRange() {
  const [time, setTime] = useSearchState("time");
  const [from, setFrom] = useSearchState("from");
  const [to, setTo] = useSearchState("to");
  const period = useMemo(() => {
    const range = timeRanges[time];
    const since = range ? new Date(Date.now() - range.hours * 3_600_000) : time === "custom" ? momentOf(from) : null;
    const until = time === "custom" ? momentOf(to) : null;
    return {
      ...(since ? { since: since.toISOString() } : {}),
      ...(until ? { until: until.toISOString() } : {}),
    };
  }, [time, from, to]);
  return { time, setTime, from, setFrom, to, setTo, period };
}

export type TimeRangeState = ReturnType<typeof useTimeRange>;

/** A date and time as a person typed it, or null. */
function momentOf(local: string): Date | null {
  const at = new Date(local);
  return local === "" || Number.isNaN(at.getTime()) ? null : at;
}
