import { parseDocument, stringify } from "yaml";
import type { Definition } from "../tool.ts";

/** The text of a definition, as the server's export writes it. */
export const writeYaml = (definition: unknown): string =>
  stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false, defaultKeyType: "PLAIN" });

export type ReadYaml = { definition: Definition } | { mistake: string };

const charactersMax = 256 * 1024;

/** The definition in a text, or why there is none yet. Whether it makes sense is for the server's own check. */
export function readYaml(text: string): ReadYaml {
  if (text.length > charactersMax) return { mistake: "The text is too long for a tool." };
  try {
    const document = parseDocument(text, { version: "1.2", schema: "core" });
    const [first] = document.errors;
    if (first) return { mistake: first.message };
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return isDefinition(value)
      ? { definition: { ...value, params_schema: value.params_schema ?? { type: "object" } } }
      : notYet;
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : "The text cannot be read." };
  }
}

const notYet = { mistake: "A tool has a title and a list of steps, each with a name and a step." };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isDefinition(value: unknown): value is Definition {
  if (!isObject(value) || typeof value.title !== "string" || !Array.isArray(value.steps)) return false;
  if (value.params_schema !== undefined && !isObject(value.params_schema)) return false;
  if (value.description !== undefined && typeof value.description !== "string") return false;
  return value.steps.every(
    (step) =>
      isObject(step) &&
      typeof step.name === "string" &&
      typeof step.step === "string" &&
      (step.if === undefined || typeof step.if === "string") &&
      (step.input === undefined || isObject(step.input)),
  );
}
