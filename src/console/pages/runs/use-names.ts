import { useMemo } from "react";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { useRole } from "../../state/use-who.ts";
import { useWholeList } from "../../state/use-whole-list.ts";
import type { RunSummary } from "./describe-status.ts";

/** Names of tools, steps and agents. Only editors read tools and agents; viewers see what kind of run it is. */
export function useNames() {
  const { may } = useRole(useProject());
  const when = may("editor");
  const { data: steps } = useRead("/latest/steps/list", {}, { staleTime: 300_000 });
  const { data: agents } = useRead("/latest/agents/list", { limit: 100 }, { when, staleTime: 60_000 });
  const rows = useWholeList("/latest/tools/list", { limit: 100 }, { when, staleTime: 60_000 });
  return useMemo(() => {
    const names = new Map<string, string>();
    for (const tool of rows ?? []) names.set(tool.tool_id, tool.title);
    for (const step of steps?.results ?? []) names.set(step.step_id, step.title);
    for (const agent of agents?.results ?? []) names.set(agent.agent_id, agent.name);
    const options = (found: { id: string; name: string }[]) =>
      found.map(({ id, name }) => ({ value: id, label: name }));
    return {
      /** The name of a tool, step or agent, or null. */
      find: (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null)),
      /** What a run does. */
      of: (run: Pick<RunSummary, "tool_id" | "step_id" | "agent_id">): string =>
        names.get(run.tool_id ?? run.step_id ?? run.agent_id ?? "") ?? kindOf(run),
      tools: options((rows ?? []).map(({ tool_id, title }) => ({ id: tool_id, name: title }))),
      steps: options((steps?.results ?? []).map(({ step_id, title }) => ({ id: step_id, name: title }))),
    };
  }, [rows, steps, agents]);
}

export type Names = ReturnType<typeof useNames>;

export function kindOf({ tool_id, step_id, agent_id }: Pick<RunSummary, "tool_id" | "step_id" | "agent_id">): string {
  if (step_id !== null) return step_id;
  if (agent_id !== null) return "Agent";
  return tool_id === null ? "Unsaved tool" : "Tool";
}
