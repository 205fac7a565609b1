import { TagsInput } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";
import { contextOf, inputProps } from "./field-props.tsx";
import { OptionRow } from "./OptionRow.tsx";
import { useOptions } from "./use-options.ts";

/** A list of words, with the values that the system offers. */
export function TextListField(props: FieldProps) {
  const { formData, onChange, fieldPathId, schema } = props;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const { data = [] } = useOptions(contextOf(props), fieldPathId.path.join("."), typed, isOpen);
  const labels = new Map(data.map((option) => [option.value, option]));
  return (
    <TagsInput
      {...inputProps(props)}
      value={Array.isArray(formData) ? formData.map(String) : []}
      onChange={(words) => onChange(words.length === 0 ? undefined : words, fieldPathId.path)}
      searchValue={typed}
      onSearchChange={setTyped}
      onFocus={() => setOpen(true)}
      data={[...labels.keys()]}
      renderOption={({ option }) => <OptionRow option={labels.get(option.value)} value={option.value} />}
      maxTags={schema.maxItems ?? 1000}
      acceptValueOnBlur
      clearable
      maxDropdownHeight={280}
    />
  );
}
