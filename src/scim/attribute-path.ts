import type { Attribute } from "./attributes.ts";
import { commonAttributes, type ResourceType, type Schema } from "./schemas.ts";

/** Where something stands in a resource: found in the table, never made from what a caller wrote. */
export interface Place {
  schema: Schema;
  attribute: Attribute;
  sub: Attribute | null;
}

/** A place, or the whole of an extension. */
export type Found = Place | { schema: Schema; attribute: null; sub: null };

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
 * Reads `userName`, `name.givenName`, `urn:…:core:2.0:User:active`, `urn:…:enterprise:2.0:User:manager.value` and the bare
 * URN of an extension. Null for everything else, `__proto__` and its kin included: they are in no table.
 */
export function findPlace(type: ResourceType, path: string): Found | null {
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
    if (folded.startsWith(`${urn}:`)) return { schema, rest: path.slice(urn.length + 1) };
  }
  return { schema: null, rest: "" };
}
