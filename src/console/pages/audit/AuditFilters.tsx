import { Button, Group, Switch } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { TimeRange } from "../../shell/TimeRange.tsx";
import { useWho } from "../../state/use-who.ts";
import { FilterSelect } from "../../ui/rows/FilterSelect.tsx";
import { SearchText } from "../../ui/rows/SearchText.tsx";
import { kinds } from "./describe-entry.ts";
import type { AuditFilterState } from "./use-audit-filter.ts";

const kindOptions = Object.entries(kinds)
  .map(([value, label]) => ({ value, label }))
  .toSorted((a, b) => a.label.localeCompare(b.label));

const keptScope = ({ scope }: AuditFilterState) => (scope === "" ? {} : { scope });

interface AuditFiltersProps {
  filter: AuditFilterState;
  emails: ReadonlyMap<string, string>;
}

/** Every filter is in the address, so a link shows the same rows. */
export function AuditFilters({ filter, emails }: AuditFiltersProps) {
  const navigate = useNavigate();
  const { data: who } = useWho();
  const people = [...emails].map(([value, label]) => ({ value, label }));
  return (
    <Group gap="xs" align="end" component="search">
      <SearchText
        label="Search the audit log"
        placeholder="Search names, ids, details"
        text={filter.text}
        onChange={filter.setText}
      />
      <FilterSelect
        maw="16rem"
        searchable
        label="Person"
        any="Anybody"
        options={people}
        value={filter.person}
        onChange={filter.setPerson}
      />
      <FilterSelect
        maw="16rem"
        searchable
        label="What was changed"
        any="Anything"
        options={kindOptions}
        value={filter.kind}
        onChange={filter.setKind}
      />
      <TimeRange maw="16rem" range={filter} />
      {who?.user.organization_role === "owner" ? (
        <Switch
          label="Whole organization"
          checked={filter.scope === "organization"}
          onChange={(event) => filter.setScope(event.currentTarget.checked ? "organization" : "")}
          my={8}
        />
      ) : null}
      {filter.isFiltered ? (
        <Button
          variant="subtle"
          size="sm"
          onClick={() => void navigate({ to: ".", search: keptScope(filter) } as never)}
        >
          Clear filters
        </Button>
      ) : null}
    </Group>
  );
}
