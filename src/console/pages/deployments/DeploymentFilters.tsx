import { Button, Group, SegmentedControl, Select } from "@mantine/core";
import { useRead } from "../../state/use-read.ts";
import { useChangeSearch } from "../../state/use-search-state.ts";
import { FilterSelect } from "../../ui/rows/FilterSelect.tsx";
import { SearchText } from "../../ui/rows/SearchText.tsx";
import { stateFilters } from "./read-deployment.ts";
import { type DeploymentFilter, ranges } from "./use-deployment-filter.ts";

const labelled = (entries: Record<string, { label: string }>) =>
  Object.entries(entries).map(([value, { label }]) => ({ value, label }));
const one = { flex: "1 1 8.5rem", maw: "13rem" } as const;

/** Every filter is in the address, so a link shows the same list. */
export function DeploymentFilters({ filter, connectionId }: { filter: DeploymentFilter; connectionId: string }) {
  const projects = useProjects(connectionId);
  const change = useChangeSearch();
  return (
    <Group gap="xs" align="end" component="search">
      <FilterSelect
        {...one}
        searchable
        label="Project"
        any="All projects"
        options={projects}
        value={filter.project}
        onChange={filter.setProject}
      />
      <FilterSelect
        {...one}
        label="State"
        any="Any state"
        options={labelled(stateFilters)}
        value={filter.state}
        onChange={filter.setState}
      />
      <FilterSelect
        {...one}
        label="Environment"
        any="Any environment"
        flex="1 1 10.5rem"
        options={[
          { value: "production", label: "Production" },
          { value: "preview", label: "Preview" },
        ]}
        value={filter.environment}
        onChange={filter.setEnvironment}
      />
      <SearchText
        label="Branch"
        placeholder="Any branch"
        flex="1 1 9rem"
        maw="14rem"
        text={filter.branch}
        onChange={filter.setBranch}
      />
      {filter.isTimeline ? (
        <Select
          {...one}
          size="sm"
          allowDeselect={false}
          aria-label="Time"
          data={labelled(ranges)}
          value={filter.range}
          onChange={(value) => value && filter.setRange(value)}
        />
      ) : null}
      {filter.isFiltered ? (
        <Button variant="subtle" onClick={() => change({ project: "", state: "", environment: "", branch: "" })}>
          Clear filters
        </Button>
      ) : null}
      <SegmentedControl
        ml="auto"
        size="sm"
        aria-label="View"
        data={[
          { value: "list", label: "List" },
          { value: "timeline", label: "Timeline" },
        ]}
        value={filter.isTimeline ? "timeline" : "list"}
        onChange={(value) => filter.setTimeline(value === "timeline")}
      />
    </Group>
  );
}

/** The platform's projects by name. */
function useProjects(connectionId: string) {
  const { data } = useRead(
    "/latest/steps/{step_id}/options",
    { step_id: "create_deployment", field: "project", connection_id: connectionId },
    { staleTime: 60_000 },
  );
  return data?.results.map(({ value, label }) => ({ value, label })) ?? [];
}
