import { FilterReader } from "../filters/filter-tokens.ts";
import { type Filter, readElementFilter } from "../filters/parse-filter.ts";
import { badRequest, ScimRefused } from "../response/scim-error.ts";
import { resolvePath, type SchemaPath, subAttribute } from "../schema/attribute-path.ts";
import type { Attribute } from "../schema/attribute-types.ts";
import type { ResourceType } from "../schema/schemas.ts";

/** A parsed PATCH path: an attribute, and with brackets a filter on its elements and perhaps one sub-attribute. */
export interface PatchTarget {
  path: SchemaPath;
  elements: Filter | null;
  elementSub: Attribute | null;
}

export function readPatchPath(type: ResourceType, path: string): PatchTarget {
  try {
    return read(type, path);
  } catch (error) {
    // A filter in a path that cannot be read makes it an invalid path (RFC 7644, table 9).
    if (error instanceof ScimRefused && error.scimType === "invalidFilter") throw invalid(path, error.message);
    throw error;
  }
}

function read(type: ResourceType, path: string): PatchTarget {
  const reader = new FilterReader(path);
  const name = reader.word();
  const found = resolvePath(type, name);
  if (!found) throw invalid(path, "There is no such attribute.");
  if (!reader.take("[")) {
    if (reader.peek() !== "") throw invalid(path, "There is text after the name.");
    return { path: found, elements: null, elementSub: null };
  }
  if (!found.attribute || found.sub || !found.attribute.multiValued)
    throw invalid(path, "The attribute is not a list.");
  const elements = readElementFilter(type, found, reader);
  reader.expect("]");
  const elementSub = reader.takeAdjacent(".") ? subAttribute(found.attribute, reader.word()) : null;
  if (/\]\s*\./.test(path) && !elementSub) throw invalid(path, "There is no such attribute.");
  if (reader.peek() !== "") throw invalid(path, "There is text after the brackets.");
  return { path: found, elements, elementSub };
}

const invalid = (path: string, why: string): ScimRefused =>
  badRequest("invalidPath", `The path "${path.slice(0, 200)}" cannot be used. ${why}`);
