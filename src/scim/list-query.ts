import { type Filter, readFilter } from "./filters/parse-filter.ts";
import { badRequest } from "./response/scim-error.ts";
import { type Selection, selectionOf } from "./response/selected-attributes.ts";
import type { JsonObject } from "./schema/read-value.ts";
import type { ResourceType } from "./schema/schemas.ts";

export const countDefault = 100;
export const countMax = 200;

/** The parameters of a list, from the query of a GET or the body of a POST to .search. */
export interface ListQuery {
  filter: string | null;
  startIndex: number;
  count: number;
  only: string[];
  except: string[];
}

/** Names are case-insensitive. Of a repeated parameter, the first counts. */
export function readQuery(query: URLSearchParams): ListQuery {
  const given = new Map<string, string>();
  for (const [name, value] of query) if (!given.has(name.toLowerCase())) given.set(name.toLowerCase(), value);
  return toQuery((name) => given.get(name.toLowerCase()));
}

export function readSearch(body: JsonObject): ListQuery {
  const given = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  return toQuery((name) => given.get(name.toLowerCase()));
}

function toQuery(given: (name: string) => unknown): ListQuery {
  const filter = given("filter");
  if (filter !== undefined && filter !== null && typeof filter !== "string") {
    throw badRequest("invalidFilter", "The filter must be a string.");
  }
  return {
    filter: filter?.trim() ? filter : null,
    // "A value less than 1 SHALL be interpreted as 1"; "a negative value SHALL be interpreted as 0" (RFC 7644, 3.4.2.4).
    startIndex: Math.max(1, wholeNumber("startIndex", given("startIndex")) ?? 1),
    count: Math.min(countMax, Math.max(0, wholeNumber("count", given("count")) ?? countDefault)),
    only: namesIn("attributes", given("attributes")),
    except: namesIn("excludedAttributes", given("excludedAttributes")),
  };
}

function wholeNumber(name: string, value: unknown): number | null {
  if (value === undefined || value === null || value === "") return null;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw badRequest("invalidValue", `"${name}" must be a whole number.`);
  return number;
}

const namesMax = 200;

function namesIn(name: string, value: unknown): string[] {
  if (value === undefined || value === null || value === "") return [];
  const names = typeof value === "string" ? value.split(",", namesMax + 1) : value;
  const isName = (each: unknown) => typeof each === "string" && each.length <= 512;
  if (!Array.isArray(names) || names.length > namesMax || !names.every(isName)) {
    throw badRequest("invalidValue", `"${name}" must be a list of attribute names.`);
  }
  return names;
}

export const filterOf = (type: ResourceType, { filter }: ListQuery): Filter | null =>
  filter === null ? null : readFilter(type, filter);

export const selectionFor = (type: ResourceType, { only, except }: ListQuery): Selection =>
  selectionOf(type, only, except);

export const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/** A list response from resources that are already serialized. */
export const listText = (total: number, startIndex: number, resources: readonly string[]): string =>
  `{"schemas":["${listSchema}"],"totalResults":${total},"startIndex":${startIndex},"itemsPerPage":${resources.length},"Resources":[${resources.join(",")}]}`;

/** Totals are numbers: one provider stops paging if they are strings. */
export const listResponse = (total: number, startIndex: number, resources: unknown[]) => ({
  schemas: [listSchema],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
