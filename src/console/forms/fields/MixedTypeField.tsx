import { TextInput } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useEffect, useRef, useState } from "react";
import { inputProps } from "./field-props.tsx";
import { JsonField } from "./JsonField.tsx";

/** A value of one kind among several: numbers, lists and true or false are read as such, anything else is text. */
export function MixedTypeField(props: FieldProps) {
  const { formData, onChange, fieldPathId, schema } = props;
  const [text, setText] = useState(() => write(formData));
  const sent = useRef<unknown>(formData);
  useEffect(() => {
    if (JSON.stringify(sent.current) === JSON.stringify(formData)) return;
    sent.current = formData;
    setText(write(formData));
  }, [formData]);
  const kinds = (schema.anyOf ?? schema.oneOf ?? []) as { type?: string }[];
  if (kinds.some(({ type }) => type === "object")) return <JsonField {...props} />;
  const change = (next: string) => {
    setText(next);
    sent.current = next.trim() === "" ? undefined : read(next);
    onChange(sent.current, fieldPathId.path);
  };
  return <TextInput {...inputProps(props)} value={text} onChange={(event) => change(event.currentTarget.value)} />;
}

const write = (value: unknown): string => {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

function read(text: string): unknown {
  if (!/^(?:-?\d|\[|true$|false$)/.test(text.trim())) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
