import type { Attribute } from "./attributes.ts";
import { objectOf, type Parts } from "./read-value.ts";
import { commonAttributes, type ResourceType, type Schema } from "./schemas.ts";
import { everything, type Selection } from "./selection.ts";

/** An attribute that is shown; of a complex one, the parts that are. */
interface Shown {
  name: string;
  parts: string[] | null;
}

/** What a list shows of each of its resources is the same for all, and found out once. */
export type Show = (whole: Parts) => Parts;

const showingEverything = new Map<ResourceType, Show>();

/** A resource as callers see it: what the table says is returned, in the table's order, as far as it was asked for. */
export function showing(type: ResourceType, selection: Selection): Show {
  if (selection !== everything) return make(type, selection);
  const show = showingEverything.get(type) ?? make(type, selection);
  showingEverything.set(type, show);
  return show;
}

function make(type: ResourceType, selection: Selection): Show {
  const isMeta = ({ name }: Attribute) => name === "meta";
  const core = [...commonAttributes.filter((each) => !isMeta(each)), ...type.core.attributes];
  const own = shownOf(type.core, core, selection);
  const extensions = type.extensions.map((extension) => ({
    urn: extension.urn,
    shown: shownOf(extension, extension.attributes, selection),
  }));
  const meta = shownOf(type.core, commonAttributes.filter(isMeta), selection);
  return (whole) => {
    const urns = [type.core.urn];
    const result: Parts = { schemas: urns };
    take(result, own, whole);
    for (const { urn, shown } of extensions) {
      const home = objectOf(whole[urn]);
      if (!home) continue;
      urns.push(urn);
      const part: Parts = {};
      if (take(part, shown, home)) result[urn] = part;
    }
    take(result, meta, whole);
    return result;
  };
}

const shownOf = (schema: Schema, attributes: Attribute[], selection: Selection): Shown[] =>
  attributes
    .filter((each) => each.returned !== "never" && each.name !== "schemas" && selection.wants(schema, each))
    .map((attribute) => ({
      name: attribute.name,
      parts: attribute.type === "complex" ? partsOf(schema, attribute, selection) : null,
    }));

const partsOf = (schema: Schema, attribute: Attribute, selection: Selection): string[] =>
  (attribute.subAttributes ?? []).filter((sub) => selection.wantsPart(schema, attribute, sub)).map(({ name }) => name);

/** Answers whether there was anything to take. */
function take(into: Parts, shown: Shown[], from: Parts): boolean {
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

function only(parts: string[], value: unknown): Parts {
  const from = objectOf(value) ?? {};
  const kept: Parts = {};
  for (const part of parts) if (from[part] !== undefined) kept[part] = from[part];
  return kept;
}
