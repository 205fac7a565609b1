import type { FieldProps } from "@rjsf/utils";
import { contextOf, inputProps } from "./field-props.tsx";
import { TemplateInput } from "./TemplateInput.tsx";

/** A field that holds a template in place of a fixed value. */
export function TemplateField(props: FieldProps) {
  const { onChange, fieldPathId } = props;
  const { pickable = [], preview } = contextOf(props);
  return (
    <TemplateInput
      {...inputProps(props)}
      value={String(props.formData)}
      onChange={(next) => onChange((next === "" ? undefined : next) as never, fieldPathId.path)}
      pickable={pickable}
      {...(preview ? { preview } : {})}
    />
  );
}
