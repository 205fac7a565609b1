type Schema = Record<string, unknown>;

/**
 * A schema in the form that most assistants understand: alternatives in `anyOf`, never a list of types. Some models take one type for
 * each value only, and would reject the tool or drop the constraint.
 */
export function portableSchema(schema: Schema): Schema {
  const { type, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [name, portablePart(part)]),
  );
  if (!Array.isArray(type)) return type === undefined ? rest : { type, ...rest };
  const types = { anyOf: type.map((each) => ({ type: each })) };
  return "anyOf" in rest ? { ...rest, allOf: [types] } : { ...rest, ...types };
}

const portablePart = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(portablePart);
  return typeof part === "object" && part !== null ? portableSchema(part as Schema) : part;
};
