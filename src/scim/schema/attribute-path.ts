import type { Attribute } from "./attribute-types.ts";
import { commonAttributes, type ResourceType, type Schema } from "./schemas.ts";

/** An attribute of a resource type. It always comes from the schema table, never from a name that a caller wrote. */
export interface AttributePath {
  schema: Schema;
  attribute: Attribute;
  sub: Attribute | null;
}

/** An attribute, or a whole extension. */
export type SchemaPath = AttributePath | { schema: Schema; attribute: null; sub: null };

const named = (attributes: Attribute[]): Map<string, Attribute> =>
  new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));

const subs = new WeakMap<Attribute, Map<string, Attribute>>();
const ofSchema = new WeakMap<Schema, Map<string, Attribute>>();

/** "Attribute names … are case insensitive" (RFC 7643, 2.1). */
export function subAttribute(attribute: Attribute, name: string): Attribute | null {
  let known = subs.get(attribute);
  if (!known) {
    known = named(attribute.subAttributes ?? []);
    subs.set(attribute, known);
  }
  return known.get(name.toLowerCase()) ?? null;
}

export function attributeOf(type: ResourceType, schema: Schema, name: string): Attribute | null {
  let known = ofSchema.get(schema);
  if (!known) {
    known = named(schema === type.core ? [...commonAttributes, ...schema.attributes] : schema.attributes);
    ofSchema.set(schema, known);
  }
  return known.get(name.toLowerCase()) ?? null;
}

/**
 * Reads `userName`, `name.givenName`, `urn:…:core:2.0:User:active`, `urn:…:enterprise:2.0:User:manager.value` and the
 * bare URN of an extension. Returns null for everything else, including `__proto__`: the table does not hold it.
 */
export function resolvePath(type: ResourceType, path: string): SchemaPath | null {
  const { schema, rest } = splitUrn(type, path);
  if (!schema) return null;
  if (rest === "") return schema === type.core ? null : { schema, attribute: null, sub: null };
  const [name = "", subName, ...deeper] = rest.split(".");
  const attribute = attributeOf(type, schema, name);
  if (!attribute || deeper.length > 0) return null;
  if (subName === undefined) return { schema, attribute, sub: null };
  const sub = subAttribute(attribute, subName);
  return sub ? { schema, attribute, sub } : null;
}

function splitUrn(type: ResourceType, path: string): { schema: Schema | null; rest: string } {
  const folded = path.toLowerCase();
  if (!folded.startsWith("urn:")) return { schema: type.core, rest: path };
  for (const schema of [type.core, ...type.extensions]) {
    const urn = schema.urn.toLowerCase();
    if (folded === urn) return { schema, rest: "" };
    // The standard separates them with a colon; Microsoft's collection of inbound requests has a dot.
    if (folded.startsWith(`${urn}:`) || folded.startsWith(`${urn}.`))
      return { schema, rest: path.slice(urn.length + 1) };
  }
  return { schema: null, rest: "" };
}
