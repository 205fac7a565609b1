import { Button, Group, Select, Switch } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { TimeRange } from "../../shell/TimeRange.tsx";
import { useWho } from "../../state/who.ts";
import { SearchText } from "../../ui/SearchText.tsx";
import { kinds } from "./entry.ts";
import type { AuditFilterState } from "./filter.ts";

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
  if (filter.person && !emails.has(filter.person)) people.push({ value: filter.person, label: filter.person });
  const one = { clearable: true, size: "sm", flex: "1 1 9rem", maw: "16rem" } as const;
  return (
    <Group gap="xs" align="end" component="search">
      <SearchText
        label="Search the audit log"
        placeholder="Search names, ids, details"
        text={filter.text}
        onChange={filter.setText}
      />
      <Select
        {...one}
        searchable
        aria-label="Person"
        placeholder="Anybody"
        data={people}
        value={filter.person || null}
        onChange={(value) => filter.setPerson(value ?? "")}
      />
      <Select
        {...one}
        searchable
        aria-label="What was changed"
        placeholder="Anything"
        data={kindOptions}
        value={filter.kind || null}
        onChange={(value) => filter.setKind(value ?? "")}
      />
      <TimeRange {...one} range={filter} />
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
