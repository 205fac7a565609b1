/** The params of a tool as a list of fields. A schema with more than that is left as it is. */

export interface Param {
  name: string;
  type: string;
  title: string;
  isRequired: boolean;
}

type Schema = Record<string, unknown>;

const plainTypes = new Set(["string", "number", "integer", "boolean"]);
const topMembers = new Set(["type", "properties", "required", "additionalProperties", "$schema"]);

const propertiesOf = (schema: Schema): [string, Schema][] =>
  Object.entries((schema.properties ?? {}) as Record<string, Schema>);

export const isPlainSchema = (schema: Schema): boolean =>
  Object.keys(schema).every((name) => topMembers.has(name)) &&
  propertiesOf(schema).every(
    ([, part]) => typeof part === "object" && part !== null && plainTypes.has(String(part.type)),
  );

export function paramsOf(schema: Schema): Param[] {
  const required = (schema.required as string[] | undefined) ?? [];
  return propertiesOf(schema).map(([name, part]) => ({
    name,
    type: String(part?.type ?? "string"),
    title: String(part?.title ?? ""),
    isRequired: required.includes(name),
  }));
}

/** The schema with these fields. What else a field had, such as a description or an enum, stays with its name. */
export function schemaOf(before: Schema, params: readonly Param[]): Schema {
  const known = (before.properties ?? {}) as Record<string, Schema>;
  const properties = params.map(({ name, type, title }) => {
    const { title: _, ...rest } = known[name] ?? {};
    return [name, { ...rest, type, ...(title === "" ? {} : { title }) }];
  });
  const required = params.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const { required: _, ...rest } = before;
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}
