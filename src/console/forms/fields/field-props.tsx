import type { FieldProps } from "@rjsf/utils";
import { CodeWords } from "../../ui/CodeWords.tsx";
import type { FormContext } from "../form-context.ts";

/** What every input of a form has: its name, its help and its mistakes. */
export function inputProps(props: FieldProps) {
  const { schema, name, required, rawErrors, fieldPathId, disabled, readonly } = props;
  const text = rawErrors?.join(" ");
  return {
    id: fieldPathId.$id,
    label: schema.title ?? name,
    ...(schema.description ? { description: <CodeWords text={schema.description} /> } : {}),
    required: required ?? false,
    disabled: Boolean(disabled || readonly),
    ...(text ? { error: text } : {}),
  };
}

export const contextOf = (props: FieldProps): FormContext => (props.registry.formContext ?? {}) as FormContext;
