import { Loader, MultiSelect } from "@mantine/core";
import { OptionRow } from "../../forms/fields/OptionRow.tsx";
import { findFields } from "./find-fields.ts";
import type { Field } from "./use-fields.ts";

interface FieldPickerProps {
  label: string;
  description: string;
  fields: Field[];
  isLoading: boolean;
  value: string[];
  max: number;
  onChange: (value: string[]) => void;
  error?: string | undefined;
}

const shownMax = 40;

/** Metrics or dimensions, found by their name, the system's name or a word of their meaning. */
export function FieldPicker({ label, description, fields, isLoading, value, max, onChange, error }: FieldPickerProps) {
  const byName = new Map(fields.map((field) => [field.value, field]));
  const unknown = value.filter((name) => !byName.has(name));
  return (
    <MultiSelect
      label={label}
      description={description}
      data={[
        ...fields.map((field) => ({ value: field.value, label: field.label })),
        ...unknown.map((name) => ({ value: name, label: name })),
      ]}
      value={value}
      onChange={onChange}
      searchable
      hidePickedOptions
      clearSearchOnChange
      maxValues={max}
      limit={shownMax}
      filter={findFields(fields)}
      renderOption={({ option }) => <OptionRow option={byName.get(option.value)} value={option.value} />}
      nothingFoundMessage="Nothing has this name or meaning."
      rightSection={isLoading ? <Loader size={14} role="status" aria-label="Loading" /> : null}
      maxDropdownHeight={320}
      {...(value.length === 0 ? { placeholder: "Type to search" } : {})}
      {...(error ? { error } : {})}
    />
  );
}
