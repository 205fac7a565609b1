import { useProjectId } from "./call.ts";
import { useRead } from "./use-read.ts";

/** How many runs wait for a person: the number in the navigation. */
export function useWaiting(): number {
  const isInProject = useProjectId() !== null;
  const options = { when: isInProject, every: 15_000 };
  const unknown = useRead("/latest/runs/list", { status: "outcome_unknown", limit: 100 }, options);
  const waiting = useRead("/latest/runs/list", { status: "waiting", limit: 100 }, options);
  const forPerson = waiting.data?.results.filter((run) => isForPerson(run.waiting_for?.kind)) ?? [];
  return (unknown.data?.results.length ?? 0) + forPerson.length;
}

export const isForPerson = (kind: string | undefined): boolean => kind === "approval" || kind === "person";
