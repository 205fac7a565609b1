import { Button, CloseButton, Group, Select, Stack, Text } from "@mantine/core";
import { SearchText } from "../../ui/rows/SearchText.tsx";
import { type FilterRow, operators } from "./settings.ts";
import type { Field } from "./use-fields.ts";

interface FiltersProps {
  fields: Field[];
  filters: FilterRow[];
  onChange: (filters: FilterRow[]) => void;
}

/** Conditions that must all hold. A row without a value does not count yet. */
export function Filters({ fields, filters, onChange }: FiltersProps) {
  const set = (index: number, row: FilterRow) => onChange(filters.with(index, row));
  const options = fields.map(({ value, label }) => ({ value, label }));
  return (
    <Stack gap="xs" role="group" aria-label="Filters">
      {filters.map((row, index) => {
        const which = `filter ${index + 1}`;
        const operator = operators.find(({ value }) => value === row.operator);
        const known = options.some(({ value }) => value === row.field) || row.field === "";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: filters are known by their place.
          <Group key={index} gap="xs" align="start">
            <Select
              aria-label={`Field of ${which}`}
              placeholder="Field"
              data={known ? options : [...options, { value: row.field, label: row.field }]}
              value={row.field || null}
              onChange={(field) => field && set(index, { ...row, field })}
              searchable
              limit={50}
              allowDeselect={false}
              flex="2 1 11rem"
            />
            <Select
              aria-label={`Comparison of ${which}`}
              data={operators.map(({ value, label }) => ({ value, label }))}
              value={row.operator}
              onChange={(next) => next && set(index, { ...row, operator: next })}
              allowDeselect={false}
              flex="1 1 9rem"
            />
            {row.operator === "is_empty" ? null : (
              <SearchText
                type="text"
                flex="2 1 11rem"
                label={`Value of ${which}`}
                placeholder={operator?.hint ?? "Value"}
                text={row.value}
                onChange={(value) => set(index, { ...row, value })}
              />
            )}
            <CloseButton
              aria-label={`Remove ${which}`}
              size="lg"
              onClick={() => onChange(filters.toSpliced(index, 1))}
            />
          </Group>
        );
      })}
      <Group gap="sm">
        <Button
          variant="subtle"
          size="compact-sm"
          className="flush"
          onClick={() => onChange([...filters, { field: "", operator: "equals", value: "" }])}
        >
          Add a filter
        </Button>
        {filters.length > 1 ? (
          <Text size="sm" c="dimmed">
            All of them must hold.
          </Text>
        ) : null}
      </Group>
    </Stack>
  );
}
