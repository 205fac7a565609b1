import Form from "@rjsf/mantine";
import type { RJSFSchema } from "@rjsf/utils";
import { type ReactNode, useMemo } from "react";
import { FoldedObject } from "./FoldedObject.tsx";
import { fieldKinds } from "./field-kinds.ts";
import { JsonField } from "./fields/JsonField.tsx";
import { MixedTypeField } from "./fields/MixedTypeField.tsx";
import { OptionField } from "./fields/OptionField.tsx";
import { TextListField } from "./fields/TextListField.tsx";
import { ValueField } from "./fields/ValueField.tsx";
import type { FormContext } from "./form-context.ts";
import { listTemplates } from "./list-templates.tsx";
import { validator } from "./validator.ts";

export interface SchemaFormProps {
  schema: Record<string, unknown>;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  context?: FormContext;
  /** Makes ids unique where a page shows several forms. */
  name: string;
  /** Checks values while typing, and fills in the schema's defaults. Without it, `context.mistakes` alone says what is wrong. */
  isChecked?: boolean;
  /** With it the form is a form of its own, sent with Enter. */
  onSubmit?: (value: Record<string, unknown>) => void;
  children?: ReactNode;
}

const fields = { SchemaField: ValueField, JsonField, MixedTypeField, OptionField, TextListField } as never;
/** Each input shows its own mistakes. */
const templates = { ...listTemplates, ObjectFieldTemplate: FoldedObject, FieldErrorTemplate: () => null } as never;
/** A definition holds what a person filled in, and no defaults: the system's own may change. */
const asItIs = { emptyObjectFields: "skipDefaults", arrayMinItems: { populate: "never" } } as const;

export function SchemaForm(props: SchemaFormProps) {
  const { value, onChange, context = {}, name, isChecked = false, onSubmit, children } = props;
  const schema = props.schema as RJSFSchema;
  const kinds = useMemo(
    () => ({ ...fieldKinds(schema, context.options), "ui:title": "", "ui:description": " " }),
    [schema, context.options],
  );
  return (
    <Form
      schema={schema}
      uiSchema={kinds}
      validator={validator as never}
      formData={value}
      formContext={context}
      fields={fields}
      templates={templates}
      idPrefix={name}
      tagName={onSubmit ? "form" : "div"}
      onChange={({ formData }) => onChange(tidy(schema, (formData ?? {}) as Record<string, unknown>))}
      {...(onSubmit
        ? { onSubmit: ({ formData }: { formData?: unknown }) => onSubmit((formData ?? {}) as Record<string, unknown>) }
        : {})}
      noHtml5Validate
      noValidate={!isChecked}
      showErrorList={false}
      focusOnFirstError
      disabled={context.isDisabled ?? false}
      experimental_componentUpdateStrategy="always"
      {...(isChecked ? {} : { experimental_defaultFormStateBehavior: asItIs })}
    >
      {children ?? <span />}
    </Form>
  );
}

/** Drops members that were emptied. */
function tidy(schema: RJSFSchema, value: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const part = schema.properties?.[name];
    const isEmpty = inner === undefined || inner === "" || isEmptyGroup(part, inner);
    return isEmpty ? [] : [[name, inner]];
  });
  return Object.fromEntries(kept);
}

function isEmptyGroup(part: unknown, value: unknown): boolean {
  const isGroup = typeof part === "object" && part !== null && "properties" in part;
  if (!isGroup || typeof value !== "object" || value === null) return false;
  return Object.values(value).every((member) => member === undefined || member === "");
}
