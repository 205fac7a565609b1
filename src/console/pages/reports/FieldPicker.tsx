import { Loader, MultiSelect } from "@mantine/core";
import { OptionRow } from "../../forms/fields/OptionRow.tsx";
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
      filter={({ options, search }) => {
        const words = search.toLowerCase().split(/\s+/).filter(Boolean);
        const textOf = (name: string) => {
          const field = byName.get(name);
          return `${name} ${field?.label ?? ""} ${field?.hint ?? ""}`.toLowerCase();
        };
        const isFirst = (option: { value: string; label: string }) =>
          [option.value, option.label].some((text) => text.toLowerCase().startsWith(search.trim().toLowerCase()));
        const found = (options as { value: string; label: string }[]).filter((option) =>
          words.every((word) => textOf(option.value).includes(word)),
        );
        return words.length === 0 ? found : [...found.filter(isFirst), ...found.filter((option) => !isFirst(option))];
      }}
      renderOption={({ option }) => <OptionRow option={byName.get(option.value)} value={option.value} />}
      nothingFoundMessage="Nothing has this name or meaning."
      rightSection={isLoading ? <Loader size={14} role="status" aria-label="Loading" /> : null}
      maxDropdownHeight={320}
      {...(value.length === 0 ? { placeholder: "Type to search" } : {})}
      {...(error ? { error } : {})}
    />
  );
}
