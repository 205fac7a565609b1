import type { RJSFSchema, UiSchema } from "@rjsf/utils";

/** Which field draws which part of a schema. Parts without an entry are drawn by the library. */
export function fieldKinds(schema: RJSFSchema, options: string[] = [], at: string[] = []): UiSchema {
  const name = at.join(".");
  if (isFreeObject(schema) && at.length > 0) return { "ui:field": "JsonField" };
  if (schema.anyOf || schema.oneOf || Array.isArray(schema.type)) {
    return { "ui:field": "MixedTypeField", "ui:fieldReplacesAnyOrOneOf": true };
  }
  if (schema.type === "array" && isWord(schema.items)) return { "ui:field": "TextListField" };
  if (schema.type === "string" && options.includes(name) && !schema.enum) return { "ui:field": "OptionField" };
  if (schema.type === "array") {
    return { items: fieldKinds((schema.items ?? {}) as RJSFSchema, options, [...at, "items"]) };
  }
  if (schema.type === "boolean") return { "ui:widget": "checkbox", ...described(schema) };
  if (schema.type === undefined && !schema.properties && !schema.enum && at.length > 0)
    return { "ui:field": "JsonField" };
  if (!schema.properties) return described(schema);
  const inner = Object.entries(schema.properties ?? {}).map(([member, part]) => [
    member,
    fieldKinds(part as RJSFSchema, options, [...at, member]),
  ]);
  return Object.fromEntries(inner) as UiSchema;
}

/** The library shows a description as it stands: without the backticks that our own fields draw as code. */
const described = ({ description }: RJSFSchema): UiSchema =>
  description?.includes("`") ? { "ui:description": description.replaceAll("`", "") } : {};

const isFreeObject = (schema: RJSFSchema): boolean => schema.type === "object" && !schema.properties;

const isWord = (items: RJSFSchema["items"]): boolean =>
  typeof items === "object" && !Array.isArray(items) && items.type === "string" && !items.enum;
