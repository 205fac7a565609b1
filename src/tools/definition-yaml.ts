import { pointerTo } from "../kernel/json-pointer.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import type { ComputeFor } from "../untrusted/compute.ts";
import { definitionCharactersMax, type ToolDefinition, toolDefinition } from "./definition.ts";

/** Parses a definition, or returns what is wrong with its shape; pointers begin with #. */
export function parseDefinition(given: unknown): { definition: ToolDefinition } | { errors: FieldError[] } {
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

/** The definition of a YAML text. `connections` maps the connections of the text to those of this project. */
export async function importDefinition(
  yaml: string,
  connections: Readonly<Record<string, string>>,
  { compute, organizationId }: ComputeFor,
): Promise<ToolDefinition> {
  const source = { text: yaml, charactersMax: definitionCharactersMax };
  const computed = await compute.run(organizationId, "read yaml", source);
  const read = computed.kind === "done" ? computed.value : { errors: [tooSlow] };
  if ("errors" in read) throw refuseYaml("The text cannot be read.", read.errors);
  const shaped = parseDefinition(read.value);
  if ("errors" in shaped) throw refuseYaml("The text does not describe a tool.", shaped.errors);
  const { definition } = shaped;
  const steps = definition.steps.map((step) =>
    step.connection_id !== undefined && Object.hasOwn(connections, step.connection_id)
      ? { ...step, connection_id: connections[step.connection_id] as string }
      : step,
  );
  return { ...definition, steps };
}

const tooSlow: FieldError = {
  pointer: "",
  code: "invalid_yaml",
  detail: "The text takes too long to read: write it more plainly, or as JSON.",
};

/** A definition as YAML for people, which parses to exactly the same definition. */
export async function exportDefinition(
  definition: ToolDefinition,
  { compute, organizationId }: ComputeFor,
): Promise<string> {
  const json = JSON.stringify(definition);
  const computed = await compute.run(organizationId, "write yaml", json);
  // JSON is valid YAML, though harder to read.
  return computed.kind === "done" ? computed.value : `${json}\n`;
}

/** Errors of a definition, as errors of the YAML text. */
export const refuseYaml = (detail: string, errors: readonly FieldError[]): Problem =>
  new Problem("validation_failed", detail, {
    errors: errors.map((error) => ({ ...error, pointer: `#/yaml${error.pointer.replace(/^#/, "")}` })),
  });
