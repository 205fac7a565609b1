import { Button, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { TimeRange } from "../../shell/TimeRange.tsx";
import { FilterSelect } from "../../ui/rows/FilterSelect.tsx";
import { SearchText } from "../../ui/rows/SearchText.tsx";
import { statusWords } from "./describe-status.ts";
import type { Names } from "./use-names.ts";
import type { RunFilterState } from "./use-run-filter.ts";

const statusOptions = Object.entries(statusWords).map(([value, label]) => ({ value, label }));

/** Every filter is in the address, so a link shows the same list. */
export function RunFilters({ filter, names }: { filter: RunFilterState; names: Names }) {
  const navigate = useNavigate();
  const one = { comboboxProps: { width: "max-content" } } as const;
  return (
    <Group gap="xs" align="end" component="search">
      <SearchText
        label="Search runs"
        placeholder="Search id, problem, output"
        text={filter.text}
        onChange={filter.setText}
      />
      <FilterSelect
        {...one}
        label="Status"
        any="Any status"
        options={statusOptions}
        value={filter.status}
        onChange={filter.setStatus}
      />
      <FilterSelect
        {...one}
        searchable
        label="Tool"
        any="Any tool"
        options={names.tools}
        value={filter.tool}
        onChange={filter.setTool}
      />
      <FilterSelect
        {...one}
        searchable
        label="Step"
        any="Any step"
        options={names.steps}
        value={filter.step}
        onChange={filter.setStep}
      />
      <TimeRange {...one} range={filter} />
      {filter.isFiltered ? (
        <Button variant="subtle" onClick={() => void navigate({ to: ".", search: {} } as never)}>
          Clear filters
        </Button>
      ) : null}
    </Group>
  );
}
