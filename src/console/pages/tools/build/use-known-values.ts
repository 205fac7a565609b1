import { useMemo } from "react";
import { useDraft } from "../../../state/use-draft.ts";
import { useRead } from "../../../state/use-read.ts";
import type { KnownValues } from "./values.ts";

/** More than this is not kept in the browser. */
const pinnedCharactersMax = 200_000;

/** "Pick values of earlier steps from their real last output": from the last run, and from steps that were run alone. */
export function useKnownValues(toolId: string | null): {
  known: KnownValues;
  pin: (name: string, output: unknown) => void;
} {
  const [pins, setPins] = useDraft<Record<string, unknown>>(`pins.${toolId ?? "new"}`, {});
  const when = { when: toolId !== null };
  const { data: runs } = useRead("/latest/runs/list", { tool_id: toolId ?? "", limit: 10 }, when);
  const last = runs?.results.find(({ status }) => status === "succeeded") ?? runs?.results[0];
  const { data: run } = useRead(
    "/latest/runs/{run_id}/get",
    { run_id: last?.run_id ?? "" },
    { when: last !== undefined, staleTime: 60_000 },
  );
  const known = useMemo<KnownValues>(() => {
    const outputs: Record<string, unknown> = {};
    for (const step of run?.steps ?? []) {
      if (step.status === "succeeded" && !step.large_output) outputs[step.name] = step.output;
    }
    return { params: (run?.params as Record<string, unknown> | undefined) ?? null, outputs: { ...outputs, ...pins } };
  }, [run, pins]);
  const pin = (name: string, output: unknown) => {
    const next = { ...pins, [name]: output };
    if (JSON.stringify(next).length <= pinnedCharactersMax) setPins(next);
  };
  return { known, pin };
}
