import { Textarea } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useEffect, useRef, useState } from "react";
import { inputProps } from "./field-props.tsx";

/** Any JSON. What cannot be read yet stays in the field and changes nothing. */
export function JsonField(props: FieldProps) {
  const { formData, onChange, fieldPathId } = props;
  const [text, setText] = useState(() => write(formData));
  const [isWrong, setWrong] = useState(false);
  const sent = useRef<unknown>(formData);
  useEffect(() => {
    if (JSON.stringify(sent.current) === JSON.stringify(formData)) return;
    sent.current = formData;
    setText(write(formData));
    setWrong(false);
  }, [formData]);
  const change = (next: string) => {
    setText(next);
    const read = readJson(next);
    setWrong(!read.isRead);
    if (!read.isRead) return;
    sent.current = read.value;
    onChange(read.value, fieldPathId.path);
  };
  const shared = inputProps(props);
  return (
    <Textarea
      {...shared}
      {...(isWrong ? { error: "This is not JSON yet." } : {})}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={16}
      className="mono-input"
      spellCheck={false}
      placeholder="{ }"
    />
  );
}

const write = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, null, 2));

function readJson(text: string): { isRead: true; value: unknown } | { isRead: false } {
  if (text.trim() === "") return { isRead: true, value: undefined };
  try {
    return { isRead: true, value: JSON.parse(text) as unknown };
  } catch {
    return { isRead: false };
  }
}
