import { Button, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type RunFilterState, timeRanges } from "./filter.ts";
import type { Names } from "./names.ts";
import { statusWords } from "./status.ts";

const statusOptions = Object.entries(statusWords).map(([value, label]) => ({ value, label }));
const timeOptions = [
  ...Object.entries(timeRanges).map(([value, { label }]) => ({ value, label })),
  { value: "custom", label: "From … to …" },
];

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
      <SearchText text={filter.text} onChange={filter.setText} />
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
      <Select
        {...one}
        aria-label="Time"
        placeholder="Any time"
        data={timeOptions}
        value={filter.time || null}
        onChange={(value) => filter.setTime(value ?? "")}
      />
      {filter.time === "custom" ? (
        <>
          <Moment label="From" value={filter.from} onChange={filter.setFrom} />
          <Moment label="To" value={filter.to} onChange={filter.setTo} />
        </>
      ) : null}
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

/** Types at full speed; the address and the list follow a moment later. */
function SearchText({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const tell = useDebouncedCallback(onChange, 300);
  return (
    <TextInput
      type="search"
      aria-label="Search runs"
      placeholder="Search id, problem, output"
      flex="2 1 14rem"
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        tell(value.trim());
      }}
    />
  );
}

const Moment = ({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) => (
  <TextInput
    type="datetime-local"
    label={label}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
