import { resolvePath, type SchemaPath } from "../schema/attribute-path.ts";
import type { Attribute } from "../schema/attribute-types.ts";
import type { ResourceType, Schema } from "../schema/schemas.ts";

/**
 * Which attributes a response includes: those in `attributes`, or all except `excludedAttributes`; `id` and `schemas`
 * always.
 */
export interface Selection {
  wants(schema: Schema, attribute: Attribute): boolean;
  wantsPart(schema: Schema, attribute: Attribute, sub: Attribute): boolean;
}

export const defaultSelection: Selection = {
  wants: (_schema, { returned }) => returned === "always" || returned === "default",
  wantsPart: (_schema, _attribute, { returned }) => returned !== "never",
};

/** Ignores unknown names. If both lists are given, `attributes` counts. */
export function selectionOf(type: ResourceType, only: string[], except: string[]): Selection {
  if (only.length > 0) return onlyThese(pathsOf(type, only));
  return except.length > 0 ? allBut(pathsOf(type, except)) : defaultSelection;
}

const pathsOf = (type: ResourceType, names: string[]): SchemaPath[] =>
  names.map((name) => resolvePath(type, withoutFilter(name.trim()))).filter((found) => found !== null);

/**
 * Providers send `emails[type eq "work"]`, which is no attribute name. It selects the whole list, or one sub-attribute
 * of it.
 */
function withoutFilter(name: string): string {
  const open = name.indexOf("[");
  if (open < 0) return name;
  const close = name.lastIndexOf("]");
  return close < open ? name : name.slice(0, open) + name.slice(close + 1);
}

function onlyThese(named: SchemaPath[]): Selection {
  const of = (schema: Schema, attribute: Attribute) =>
    named.filter((each) => each.schema === schema && (each.attribute === null || each.attribute === attribute));
  return {
    wants: (schema, attribute) =>
      attribute.returned === "always" || (attribute.returned !== "never" && of(schema, attribute).length > 0),
    wantsPart: (schema, attribute, sub) => of(schema, attribute).some((each) => each.sub === null || each.sub === sub),
  };
}

function allBut(named: SchemaPath[]): Selection {
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
