import { Autocomplete, Loader } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";
import { contextOf, inputProps } from "./field-props.tsx";
import { OptionRow } from "./OptionRow.tsx";
import { useOptions } from "./use-options.ts";

/** A text with the values that the system offers. Any other text may be typed too. */
export function OptionField(props: FieldProps) {
  const { formData, onChange, fieldPathId } = props;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const context = contextOf(props);
  const field = fieldPathId.path.join(".");
  const { data = [], isFetching, error } = useOptions(context, field, typed, isOpen);
  const labels = new Map(data.map((option) => [option.value, option]));
  const shared = inputProps(props);
  return (
    <Autocomplete
      {...shared}
      {...(error ? { error: `The offered values cannot be read: ${error.message}` } : {})}
      value={typeof formData === "string" ? formData : ""}
      onChange={(next) => {
        setTyped(labels.has(next) ? "" : next);
        onChange(next === "" ? undefined : next, fieldPathId.path);
      }}
      onFocus={() => setOpen(true)}
      data={[...labels.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => <OptionRow option={labels.get(option.value)} value={option.value} />}
      rightSection={isFetching ? <Loader size={14} role="status" aria-label="Loading values" /> : null}
      maxDropdownHeight={280}
    />
  );
}
