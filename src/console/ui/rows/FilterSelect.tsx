import { Select, type SelectProps } from "@mantine/core";

interface FilterSelectProps extends Omit<SelectProps, "data" | "value" | "onChange"> {
  label: string;
  /** What it says while it filters nothing: "Any status". */
  any: string;
  options: { value: string; label: string }[];
  /** Empty: it filters nothing. */
  value: string;
  onChange: (value: string) => void;
}

/** One filter of a list. A link may name a value that is not offered: it stays, and is shown as it is. */
export function FilterSelect({ label, any, options, value, onChange, ...look }: FilterSelectProps) {
  const isOffered = value === "" || options.some((option) => option.value === value);
  return (
    <Select
      clearable
      size="sm"
      flex="1 1 9rem"
      maw="14rem"
      {...look}
      aria-label={label}
      placeholder={any}
      data={isOffered ? options : [...options, { value, label: value }]}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? "")}
    />
  );
}
