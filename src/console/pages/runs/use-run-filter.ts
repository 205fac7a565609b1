import { useMemo } from "react";
import type { InputOf } from "../../../client/wire.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useTimeRange } from "../../state/use-time-range.ts";
import { type RunStatus, statusWords } from "./describe-status.ts";

/** The filters as the address holds them. */
export function useRunFilter() {
  const [status, setStatus] = useSearchState("status");
  const [tool, setTool] = useSearchState("tool");
  const [step, setStep] = useSearchState("step");
  const range = useTimeRange();
  const { time, period } = range;
  const [text, setText] = useSearchState("text");
  const input = useMemo((): Omit<InputOf<"/latest/runs/list">, "after" | "limit"> => {
    return {
      ...(status in statusWords ? { status: status as RunStatus } : {}),
      ...(tool ? { tool_id: tool } : {}),
      ...(step ? { with_step: step } : {}),
      ...period,
      ...(text ? { text: text.slice(0, 200) } : {}),
    };
  }, [status, tool, step, period, text]);
  const isFiltered = [status, tool, step, time, text].some(Boolean);
  return {
    status,
    setStatus,
    tool,
    setTool,
    step,
    setStep,
    ...range,
    text,
    setText,
    input,
    isFiltered,
  };
}

export type RunFilterState = ReturnType<typeof useRunFilter>;
