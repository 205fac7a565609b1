import { type FieldError, Problem } from "../kernel/problem.ts";
import { pointerTo } from "./expressions.ts";
import { type ToolDefinition, toolDefinition } from "./tool-definition.ts";
import { fromYaml } from "./tool-yaml.ts";

/** A definition in whatever was given, or what is wrong with its form; pointers begin with #. */
export function readDefinition(given: unknown): { definition: ToolDefinition } | { errors: FieldError[] } {
  const result = toolDefinition.safeParse(given);
  if (result.success) return { definition: result.data };
  return {
    errors: result.error.issues.map((issue) => ({
      pointer: issue.path.reduce<string>((pointer, name) => pointerTo(pointer, String(name)), "#"),
      code: issue.code,
      detail: issue.message,
    })),
  };
}

/** The definition that a YAML text holds, with the connections of this project put in the place of the text's own. */
export function importDefinition(yaml: string, connections: Readonly<Record<string, string>>): ToolDefinition {
  const read = fromYaml(yaml);
  if ("errors" in read) throw refuseYaml("The text cannot be read.", read.errors);
  const shaped = readDefinition(read.value);
  if ("errors" in shaped) throw refuseYaml("The text does not describe a tool.", shaped.errors);
  const { definition } = shaped;
  const steps = definition.steps.map((step) =>
    step.connection_id !== undefined && Object.hasOwn(connections, step.connection_id)
      ? { ...step, connection_id: connections[step.connection_id] as string }
      : step,
  );
  return { ...definition, steps };
}

/** Errors of a definition, as errors of the text that it came in. */
export const refuseYaml = (detail: string, errors: readonly FieldError[]): Problem =>
  new Problem("validation_failed", detail, {
    errors: errors.map((error) => ({ ...error, pointer: `#/yaml${error.pointer.replace(/^#/, "")}` })),
  });
