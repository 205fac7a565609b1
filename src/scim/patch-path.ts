import { type Found, findPlace, subAttribute } from "./attribute-path.ts";
import type { Attribute } from "./attributes.ts";
import { type Filter, readElementFilter } from "./filter.ts";
import { FilterReader } from "./filter-reader.ts";
import { badRequest, ScimRefused } from "./refusal.ts";
import type { ResourceType } from "./schemas.ts";

/** What a PATCH path means: a place, and, with brackets, which elements of a list, and perhaps one part of these. */
export interface PatchTarget {
  found: Found;
  elements: Filter | null;
  elementPart: Attribute | null;
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
  const found = findPlace(type, name);
  if (!found) throw invalid(path, "There is no such attribute.");
  if (!reader.take("[")) {
    if (reader.peek() !== "") throw invalid(path, "Something stands behind the name.");
    return { found, elements: null, elementPart: null };
  }
  if (!found.attribute || found.sub || !found.attribute.multiValued) throw invalid(path, "The attribute is no list.");
  const elements = readElementFilter(type, found, reader);
  reader.expect("]");
  const elementPart = reader.takeDirectly(".") ? subAttribute(found.attribute, reader.word()) : null;
  if (/\]\s*\./.test(path) && !elementPart) throw invalid(path, "There is no such attribute.");
  if (reader.peek() !== "") throw invalid(path, "Something stands behind the brackets.");
  return { found, elements, elementPart };
}

const invalid = (path: string, why: string): ScimRefused =>
  badRequest("invalidPath", `The path "${path.slice(0, 200)}" cannot be used. ${why}`);
