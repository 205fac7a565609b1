import type { Attribute } from "../schema/attribute-types.ts";
import { type JsonObject, objectOf } from "../schema/read-value.ts";
import { commonAttributes, type ResourceType, type Schema } from "../schema/schemas.ts";
import { defaultSelection, type Selection } from "./selected-attributes.ts";

/** An attribute to include; of a complex one, the names of the sub-attributes to include. */
interface RenderedAttribute {
  name: string;
  parts: string[] | null;
}

/** Built once for all resources of a list. */
export type Render = (whole: JsonObject) => JsonObject;

const defaultRenderers = new Map<ResourceType, Render>();

/** Renders a resource as callers see it: the returnable and selected attributes, in the order of the schema table. */
export function rendererFor(type: ResourceType, selection: Selection): Render {
  if (selection !== defaultSelection) return make(type, selection);
  const render = defaultRenderers.get(type) ?? make(type, selection);
  defaultRenderers.set(type, render);
  return render;
}

function make(type: ResourceType, selection: Selection): Render {
  const isMeta = ({ name }: Attribute) => name === "meta";
  const core = [...commonAttributes.filter((each) => !isMeta(each)), ...type.core.attributes];
  const own = renderedOf(type.core, core, selection);
  const extensions = type.extensions.map((extension) => ({
    urn: extension.urn,
    shown: renderedOf(extension, extension.attributes, selection),
  }));
  const meta = renderedOf(type.core, commonAttributes.filter(isMeta), selection);
  return (whole) => {
    const urns = [type.core.urn];
    const result: JsonObject = { schemas: urns };
    take(result, own, whole);
    for (const { urn, shown } of extensions) {
      const container = objectOf(whole[urn]);
      if (!container) continue;
      urns.push(urn);
      const part: JsonObject = {};
      if (take(part, shown, container)) result[urn] = part;
    }
    take(result, meta, whole);
    return result;
  };
}

const renderedOf = (schema: Schema, attributes: Attribute[], selection: Selection): RenderedAttribute[] =>
  attributes
    .filter((each) => each.returned !== "never" && each.name !== "schemas" && selection.wants(schema, each))
    .map((attribute) => ({
      name: attribute.name,
      parts: attribute.type === "complex" ? partsOf(schema, attribute, selection) : null,
    }));

const partsOf = (schema: Schema, attribute: Attribute, selection: Selection): string[] =>
  (attribute.subAttributes ?? []).filter((sub) => selection.wantsPart(schema, attribute, sub)).map(({ name }) => name);

/** Returns whether anything was copied. */
function take(into: JsonObject, shown: RenderedAttribute[], from: JsonObject): boolean {
  let isAny = false;
  for (const { name, parts } of shown) {
    const value = from[name];
    if (value === undefined) continue;
    isAny = true;
    if (parts === null) into[name] = value;
    else into[name] = Array.isArray(value) ? value.map((each) => only(parts, each)) : only(parts, value);
  }
  return isAny;
}

function only(parts: string[], value: unknown): JsonObject {
  const from = objectOf(value) ?? {};
  const kept: JsonObject = {};
  for (const part of parts) if (from[part] !== undefined) kept[part] = from[part];
  return kept;
}
