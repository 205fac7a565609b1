import { Button, Group, Select } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { TimeRange } from "../../shell/TimeRange.tsx";
import { SearchText } from "../../ui/SearchText.tsx";
import type { RunFilterState } from "./filter.ts";
import type { Names } from "./names.ts";
import { statusWords } from "./status.ts";

const statusOptions = Object.entries(statusWords).map(([value, label]) => ({ value, label }));

/** Every filter is in the address, so a link shows the same list. */
export function RunFilters({ filter, names }: { filter: RunFilterState; names: Names }) {
  const navigate = useNavigate();
  const one = {
    clearable: true,
    size: "sm",
    flex: "1 1 9rem",
    maw: "14rem",
    comboboxProps: { width: "max-content" },
  } as const;
  return (
    <Group gap="xs" align="end" component="search">
      <SearchText
        label="Search runs"
        placeholder="Search id, problem, output"
        text={filter.text}
        onChange={filter.setText}
      />
      <Select
        {...one}
        aria-label="Status"
        placeholder="Any status"
        data={statusOptions}
        value={filter.status || null}
        onChange={(value) => filter.setStatus(value ?? "")}
      />
      <Select
        {...one}
        searchable
        aria-label="Tool"
        placeholder="Any tool"
        data={withValue(names.tools, filter.tool)}
        value={filter.tool || null}
        onChange={(value) => filter.setTool(value ?? "")}
      />
      <Select
        {...one}
        searchable
        aria-label="Step"
        placeholder="Any single step"
        data={withValue(names.steps, filter.step)}
        value={filter.step || null}
        onChange={(value) => filter.setStep(value ?? "")}
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

type Options = { value: string; label: string }[];
const withValue = (options: Options, value: string): Options =>
  value === "" || options.some((option) => option.value === value) ? options : [...options, { value, label: value }];
