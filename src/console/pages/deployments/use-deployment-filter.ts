import { useMemo } from "react";
import { useSearchState } from "../../state/use-search-state.ts";
import { stateFilters } from "./read-deployment.ts";

export const ranges: Record<string, { label: string; days: number }> = {
  "1d": { label: "Last 24 hours", days: 1 },
  "7d": { label: "Last 7 days", days: 7 },
  "30d": { label: "Last 30 days", days: 30 },
  "90d": { label: "Last 90 days", days: 90 },
};

const rangeDefault = "30d";

/** Filters and view, as the address holds them. */
export function useDeploymentFilter() {
  const [project, setProject] = useSearchState("project");
  const [state, setState] = useSearchState("state");
  const [environment, setEnvironment] = useSearchState("environment");
  const [branch, setBranch] = useSearchState("branch");
  const [view, setView] = useSearchState("view");
  const [range, setRange] = useSearchState("range");
  const isTimeline = view === "timeline";
  const days = (ranges[range] ?? ranges[rangeDefault])?.days ?? 30;
  // The beginning stays the same while the page is open: another one would be another question.
  const since = useMemo(() => Math.floor(Date.now() / 60_000) * 60_000 - days * 86_400_000, [days]);
  const query = {
    ...(project ? { projectId: project } : {}),
    ...(stateFilters[state] ? { state: stateFilters[state].states.join(",") } : {}),
    ...(environment ? { target: environment } : {}),
    ...(branch ? { branch } : {}),
    ...(isTimeline ? { since } : {}),
  };
  return {
    project,
    setProject,
    state,
    setState,
    environment,
    setEnvironment,
    branch,
    setBranch,
    isTimeline,
    setTimeline: (next: boolean) => setView(next ? "timeline" : ""),
    range: range in ranges ? range : rangeDefault,
    setRange: (next: string) => setRange(next === rangeDefault ? "" : next),
    since,
    query,
    isFiltered: [project, state, environment, branch].some(Boolean),
  };
}

export type DeploymentFilter = ReturnType<typeof useDeploymentFilter>;
