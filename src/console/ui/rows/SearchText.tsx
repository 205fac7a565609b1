import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";

interface SearchTextProps extends Omit<TextInputProps, "onChange" | "value"> {
  label: string;
  text: string;
  onChange: (text: string) => void;
}

/** Types at full speed; the address and the list follow a moment later. */
export function SearchText({ label, text, onChange, ...look }: SearchTextProps) {
  const [typed, setTyped] = useState(text);
  // The result of one's own typing has no space at its end, and leaves the one that was just typed.
  useEffect(() => setTyped((before) => (before.trim() === text ? before : text)), [text]);
  const tell = useDebouncedCallback(onChange, 300);
  return (
    <TextInput
      type="search"
      flex="2 1 14rem"
      {...look}
      aria-label={label}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        tell(value.trim());
      }}
    />
  );
}
