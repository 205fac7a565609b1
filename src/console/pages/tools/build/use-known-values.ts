import { useMemo, useState } from "react";
import { useDraft, useMoveDraft } from "../../../state/use-draft.ts";
import { useRead } from "../../../state/use-read.ts";
import {
  isTooLarge,
  type KeptOutputs,
  outputsOf,
  renamed,
  type StepOutput,
  withAlone,
  withoutPin,
  withPin,
} from "./known-outputs.ts";
import type { KnownValues } from "./template-values.ts";

const draftOf = (toolId: string | null): string => `outputs.${toolId ?? "new"}`;

export interface Outputs {
  of: (name: string) => StepOutput | undefined;
  /** What the step returned when it was run alone. */
  keep: (name: string, output: unknown) => void;
  pin: (name: string) => void;
  unpin: (name: string) => void;
  rename: (from: string, to: string) => void;
  /** Too large for this browser to keep: it is known until the page is left. */
  isUnkept: (name: string) => boolean;
  clear: () => void;
  /** Hands everything to the tool that was just made. */
  moveTo: (toolId: string) => void;
}

/** "Pick values of earlier steps from their real last output": from the last run, from steps that were run alone, or pinned. */
export function useKnownValues(toolId: string | null): { known: KnownValues; outputs: Outputs } {
  const [kept, setKept, clear] = useDraft<KeptOutputs>(draftOf(toolId), {});
  const [large, setLarge] = useState<KeptOutputs>({});
  const move = useMoveDraft();
  const when = { when: toolId !== null };
  const { data: runs } = useRead("/latest/runs/list", { tool_id: toolId ?? "", limit: 10 }, when);
  const last = runs?.results.find(({ status }) => status === "succeeded") ?? runs?.results[0];
  const { data: run } = useRead(
    "/latest/runs/{run_id}/get",
    { run_id: last?.run_id ?? "" },
    { when: last !== undefined, staleTime: 60_000 },
  );
  const all = useMemo(() => outputsOf(run, { ...kept, ...large }), [run, kept, large]);
  const known = useMemo<KnownValues>(() => {
    const found = Object.entries(all);
    return {
      params: (run?.params as Record<string, unknown> | undefined) ?? null,
      outputs: Object.fromEntries(found.map(([name, { output }]) => [name, output])),
      pinned: found.flatMap(([name, { from }]) => (from === "pin" ? [name] : [])),
    };
  }, [run, all]);
  const now = (output: unknown) => ({
    output: output ?? null,
    at: new Date().toISOString(),
    afterRun: run?.run_id ?? null,
  });
  const keptWith = (name: string): KeptOutputs => (large[name] ? { ...kept, [name]: large[name] } : kept);
  /** Keeps what fits; the rest stays until the page is left. */
  const store = (next: KeptOutputs, name: string) => {
    const { [name]: _, ...otherLarge } = large;
    if (isTooLarge(next)) return setLarge({ ...large, [name]: next[name] ?? {} });
    setLarge(otherLarge);
    setKept(next);
  };
  const outputs: Outputs = {
    of: (name) => all[name],
    keep: (name, output) => store(withAlone(keptWith(name), name, now(output)), name),
    pin: (name) => {
      const shown = all[name];
      if (shown) store(withPin(keptWith(name), name, { ...now(shown.output), isOfRun: shown.from === "run" }), name);
    },
    unpin: (name) => store(withoutPin(keptWith(name), name), name),
    rename: (from, to) => {
      setKept(renamed(kept, from, to));
      setLarge(renamed(large, from, to));
    },
    isUnkept: (name) => name in large,
    clear,
    moveTo: (id) => move(draftOf(null), draftOf(id)),
  };
  return { known, outputs };
}
