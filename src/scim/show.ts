import type { Attribute } from "./attributes.ts";
import { objectOf, type Parts } from "./read-value.ts";
import { commonAttributes, type ResourceType, type Schema } from "./schemas.ts";
import type { Selection } from "./selection.ts";

/** A resource as callers see it: what the table says is returned, in the table's order, as far as it was asked for. */
export function show(type: ResourceType, whole: Parts, selection: Selection): Parts {
  const shown: Parts = {};
  const urns = [type.core.urn];
  const own = [...commonAttributes.filter(({ name }) => name !== "meta"), ...type.core.attributes];
  for (const attribute of own) take(shown, type.core, attribute, whole, selection);
  for (const extension of type.extensions) {
    const home = objectOf(whole[extension.urn]);
    if (!home) continue;
    urns.push(extension.urn);
    const part: Parts = {};
    for (const attribute of extension.attributes) take(part, extension, attribute, home, selection);
    if (Object.keys(part).length > 0) shown[extension.urn] = part;
  }
  const meta = commonAttributes.find(({ name }) => name === "meta");
  if (meta) take(shown, type.core, meta, whole, selection);
  return { schemas: urns, ...shown };
}

function take(into: Parts, schema: Schema, attribute: Attribute, from: Parts, selection: Selection): void {
  const value = from[attribute.name];
  if (value === undefined || attribute.returned === "never" || attribute.name === "schemas") return;
  if (!selection.wants(schema, attribute)) return;
  if (attribute.type !== "complex") {
    into[attribute.name] = value;
    return;
  }
  const parts = (each: unknown): Parts => {
    const object = objectOf(each) ?? {};
    const kept = (attribute.subAttributes ?? []).filter((sub) => selection.wantsPart(schema, attribute, sub));
    return Object.fromEntries(
      kept.filter(({ name }) => object[name] !== undefined).map(({ name }) => [name, object[name]]),
    );
  };
  into[attribute.name] = Array.isArray(value) ? value.map(parts) : parts(value);
}
