import { useMemo } from "react";
import type { InputOf } from "../../../client/wire.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { type RunStatus, statusWords } from "./status.ts";

/** How far back a list of runs reaches, by the word in the address. */
export const timeRanges: Record<string, { label: string; hours: number }> = {
  "1h": { label: "Last hour", hours: 1 },
  "24h": { label: "Last 24 hours", hours: 24 },
  "7d": { label: "Last 7 days", hours: 168 },
  "30d": { label: "Last 30 days", hours: 720 },
};

/** The filters as the address holds them. */
export function useRunFilter() {
  const [status, setStatus] = useSearchState("status");
  const [tool, setTool] = useSearchState("tool");
  const [step, setStep] = useSearchState("step");
  const [time, setTime] = useSearchState("time");
  const [from, setFrom] = useSearchState("from");
  const [to, setTo] = useSearchState("to");
  const [text, setText] = useSearchState("text");
  const input = useMemo((): Omit<InputOf<"/latest/runs/list">, "after" | "limit"> => {
    const range = timeRanges[time];
    const since = range ? new Date(Date.now() - range.hours * 3_600_000) : time === "custom" ? momentOf(from) : null;
    const until = time === "custom" ? momentOf(to) : null;
    return {
      ...(status in statusWords ? { status: status as RunStatus } : {}),
      ...(tool ? { tool_id: tool } : {}),
      ...(step ? { step_id: step } : {}),
      ...(since ? { since: since.toISOString() } : {}),
      ...(until ? { until: until.toISOString() } : {}),
      ...(text ? { text: text.slice(0, 200) } : {}),
    };
  }, [status, tool, step, time, from, to, text]);
  const isFiltered = [status, tool, step, time, text].some(Boolean);
  return {
    status,
    setStatus,
    tool,
    setTool,
    step,
    setStep,
    time,
    setTime,
    from,
    setFrom,
    to,
    setTo,
    text,
    setText,
    input,
    isFiltered,
  };
}

export type RunFilterState = ReturnType<typeof useRunFilter>;

/** A date and time as a person typed it, or null. */
export function momentOf(local: string): Date | null {
  const at = new Date(local);
  return local === "" || Number.isNaN(at.getTime()) ? null : at;
}
