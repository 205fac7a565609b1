import { getDefaultRegistry } from "@rjsf/core";
import { ErrorSchemaBuilder, type FieldProps } from "@rjsf/utils";
import { isTemplate } from "../form-context.ts";
import { addExpression } from "../text-in-braces.ts";
import { contextOf } from "./field-props.tsx";
import { PickValue } from "./PickValue.tsx";
import { TemplateField } from "./TemplateField.tsx";

const PlainField = getDefaultRegistry().fields.SchemaField as (props: FieldProps) => React.ReactNode;

/** Any field of a form. A template takes the place of the field that its schema asks for, whatever its type. */
export function ValueField(props: FieldProps) {
  const context = contextOf(props);
  const { path } = props.fieldPathId;
  if (path.length === 0) {
    const errors = context.mistakes ? errorsOf(context.mistakes) : props.errorSchema;
    return <PlainField {...props} errorSchema={errors as never} />;
  }
  if (isTemplate(props.formData)) {
    const rawErrors = (props.errorSchema as { __errors?: string[] } | undefined)?.__errors ?? [];
    return <TemplateField {...props} rawErrors={rawErrors} />;
  }
  if (!context.pickable) return <PlainField {...props} />;
  const { title } = props.schema as { title?: string };
  return (
    <div className="pickable">
      <PlainField {...props} />
      <PickValue
        groups={context.pickable}
        label={title ?? props.name}
        onPick={(expression) => props.onChange(addExpression(startOf(props), expression) as never, path)}
      />
    </div>
  );
}

/** What a picked value is added to: text that was typed. A value that was chosen from a list is replaced, but for a path that ends in a slash. */
function startOf({ formData, schema, uiSchema }: FieldProps): string {
  if (typeof formData !== "string" || schema.enum) return "";
  const isChosen = uiSchema?.["ui:field"] === "OptionField" && !formData.endsWith("/");
  return isChosen ? "" : formData;
}

function errorsOf(mistakes: Record<string, string[]>): unknown {
  const builder = new ErrorSchemaBuilder();
  for (const [path, sentences] of Object.entries(mistakes))
    builder.addErrors(sentences, path === "" ? [] : path.split("/"));
  return builder.ErrorSchema;
}
