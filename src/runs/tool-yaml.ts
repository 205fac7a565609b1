import { parseDocument, stringify } from "yaml";
import type { FieldError } from "../kernel/problem.ts";
import { pointerTo } from "./expressions.ts";
import { definitionCharactersMax, type ToolDefinition } from "./tool-definition.ts";

/** A definition as YAML for people, which reads back as exactly the same definition. */
export function toYaml(definition: ToolDefinition): string {
  const text = write(definition, "PLAIN");
  // Some texts come back another way where they are not quoted, line ends above all.
  return isSame(text, definition) ? text : write(definition, "QUOTE_DOUBLE");
}

const write = (definition: ToolDefinition, defaultStringType: "PLAIN" | "QUOTE_DOUBLE"): string =>
  stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false, defaultKeyType: "PLAIN", defaultStringType });

const isSame = (text: string, definition: ToolDefinition): boolean => {
  const read = fromYaml(text);
  return "value" in read && JSON.stringify(read.value) === JSON.stringify(definition);
};

/** What stands in the text, or what is wrong with it. Whether it is a definition is for others. */
export function fromYaml(text: string): { value: unknown } | { errors: FieldError[] } {
  const document = parseDocument(text, { uniqueKeys: true, version: "1.2", schema: "core" });
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) return { errors: wrong.map(({ message }) => refusal("", message)) };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    const strange = notJson(value, "");
    if (strange.length > 0) return { errors: strange };
    if (JSON.stringify(value).length <= definitionCharactersMax) return { value };
    return { errors: [refusal("", `A definition has at most ${definitionCharactersMax} characters.`)] };
  } catch (error) {
    // Aliases that multiply, or lead in a circle.
    return { errors: [refusal("", error instanceof Error ? error.message : "The text cannot be read.")] };
  }
}

const refusal = (pointer: string, detail: string): FieldError => ({ pointer, code: "invalid_yaml", detail });

/** YAML knows numbers, and kinds of things, that JSON does not. */
function notJson(value: unknown, pointer: string): FieldError[] {
  if (typeof value === "number" && !Number.isFinite(value)) return [refusal(pointer, "This is not a number of JSON.")];
  if (typeof value === "bigint" || value === undefined) return [refusal(pointer, "This is not a value of JSON.")];
  if (typeof value !== "object" || value === null) return [];
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return [refusal(pointer, "This is not a value of JSON.")];
  return Object.entries(value).flatMap(([name, inner]) => notJson(inner, pointerTo(pointer, name)));
}
