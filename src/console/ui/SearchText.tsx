import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";

interface SearchTextProps {
  label: string;
  placeholder: string;
  text: string;
  onChange: (text: string) => void;
}

/** Types at full speed; the address and the list follow a moment later. */
export function SearchText({ label, placeholder, text, onChange }: SearchTextProps) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const tell = useDebouncedCallback(onChange, 300);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      flex="2 1 14rem"
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        tell(value.trim());
      }}
    />
  );
}
