import { type Found, findPlace } from "./attribute-path.ts";
import type { Attribute } from "./attributes.ts";
import type { ResourceType, Schema } from "./schemas.ts";

/** Which attributes an answer holds: `attributes`, or everything but `excludedAttributes`; `id` and `schemas` always. */
export interface Selection {
  wants(schema: Schema, attribute: Attribute): boolean;
  wantsPart(schema: Schema, attribute: Attribute, sub: Attribute): boolean;
}

export const everything: Selection = {
  wants: (_schema, { returned }) => returned === "always" || returned === "default",
  wantsPart: (_schema, _attribute, { returned }) => returned !== "never",
};

/** Names that are in no table are passed over. Where both lists are given, the first one counts. */
export function selectionOf(type: ResourceType, only: string[], except: string[]): Selection {
  if (only.length > 0) return onlyThese(placesOf(type, only));
  return except.length > 0 ? allBut(placesOf(type, except)) : everything;
}

const placesOf = (type: ResourceType, names: string[]): Found[] =>
  names.map((name) => findPlace(type, withoutFilter(name.trim()))).filter((found) => found !== null);

/** `emails[type eq "work"]` is no name of an attribute, and comes all the same: the whole list is meant, or one part of it. */
function withoutFilter(name: string): string {
  const open = name.indexOf("[");
  if (open < 0) return name;
  const close = name.lastIndexOf("]");
  return close < open ? name : name.slice(0, open) + name.slice(close + 1);
}

function onlyThese(named: Found[]): Selection {
  const of = (schema: Schema, attribute: Attribute) =>
    named.filter((each) => each.schema === schema && (each.attribute === null || each.attribute === attribute));
  return {
    wants: (schema, attribute) =>
      attribute.returned === "always" || (attribute.returned !== "never" && of(schema, attribute).length > 0),
    wantsPart: (schema, attribute, sub) => of(schema, attribute).some((each) => each.sub === null || each.sub === sub),
  };
}

function allBut(named: Found[]): Selection {
  const isNamed = (schema: Schema, attribute: Attribute, sub: Attribute | null) =>
    named.some(
      (each) => each.schema === schema && (each.attribute === null || each.attribute === attribute) && each.sub === sub,
    );
  return {
    wants: (schema, attribute) =>
      attribute.returned === "always" || (attribute.returned === "default" && !isNamed(schema, attribute, null)),
    wantsPart: (schema, attribute, sub) => !isNamed(schema, attribute, sub),
  };
}
