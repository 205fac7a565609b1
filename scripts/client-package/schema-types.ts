import type { JsonSchema } from "../../src/api/reference/operation-schemas.ts";

/** JSON Schemas as TypeScript, with their descriptions as comments. */

interface Schema extends JsonSchema {
  allOf?: Schema[];
  prefixItems?: Schema[];
  not?: unknown;
}

/** What a caller may pass as undefined is left out of the body, so inputs allow it. */
export type Direction = "input" | "output";

export function typeOf(schema: Schema, direction: Direction): string {
  const inner = (each: Schema) => typeOf(each, direction);
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(inner))].join(" | ");
  if (schema.allOf) return schema.allOf.map((each) => `(${inner(each)})`).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => inner({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "object":
      return objectOf(schema, direction);
    case "array":
      if (schema.prefixItems) return `[${schema.prefixItems.map(inner).join(", ")}]`;
      return `${inParentheses(inner(schema.items ?? {}))}[]`;
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return "not" in schema ? "never" : "unknown";
  }
}

/** `type X = …`, or an interface where that is possible: editors show its name. */
export function declare(name: string, schema: Schema, direction: Direction): string {
  const text = typeOf(schema, direction);
  const comment = commentOf(schema.description, "");
  return text.startsWith("{\n") && text.endsWith("\n}")
    ? `${comment}export interface ${name} ${text}`
    : `${comment}export type ${name} = ${text};`;
}

function objectOf(schema: Schema, direction: Direction): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const others = typeof additionalProperties === "object" ? typeOf(additionalProperties, direction) : "unknown";
  const members = Object.entries(properties).map(([name, member]) => {
    const isRequired = required.includes(name);
    const type = typeOf(member, direction);
    const mayBeUndefined = !isRequired && direction === "input" && type !== "unknown";
    const text = `${propertyName(name)}${isRequired ? "" : "?"}: ${type}${mayBeUndefined ? " | undefined" : ""};`;
    return indented(`${commentOf(member.description, "")}${text}`);
  });
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (members.length === 0)
    return direction === "input" && !isOpen ? "Record<string, never>" : `Record<string, ${others}>`;
  const shape = `{\n${members.join("\n")}\n}`;
  return isOpen ? `(${shape} & Record<string, ${others}>)` : shape;
}

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);
const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const inParentheses = (type: string): string => (/[|&]/.test(type) && !type.startsWith("{") ? `(${type})` : type);
export const indented = (text: string): string => text.replace(/^(?=.)/gm, "  ");

export const commentOf = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.replaceAll("*/", "* /").replaceAll("\n", `\n${indent} * `)} */\n${indent}` : "";
