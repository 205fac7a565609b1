import type { Column, Condition, Test } from "../access/directory/condition.ts";
import type { Place } from "./attribute-path.ts";
import { type Filter, keptAs } from "./filter.ts";
import { refuseFilter } from "./filter-reader.ts";
import { matchesText } from "./matches.ts";
import type { ResourceType } from "./schemas.ts";

/** Attributes that are columns of the record itself. */
const columns: Record<ResourceType["name"], Record<string, Column>> = {
  User: {
    id: "id",
    username: "userName",
    externalid: "externalId",
    active: "active",
    "meta.created": "created",
    "meta.lastmodified": "lastModified",
  },
  Group: {
    id: "id",
    displayname: "displayName",
    externalid: "externalId",
    "meta.created": "created",
    "meta.lastmodified": "lastModified",
  },
};

/** The other side of a membership: a person's groups, a group's members. */
const linkedList = { User: "groups", Group: "members" } as const;
const linkedType = { User: "direct", Group: "User" } as const;
const linkedColumns: Record<string, Column> = { value: "linkedId", display: "linkedDisplay" };

/** The same filter in the words of the store. */
export function toCondition(type: ResourceType, filter: Filter): Condition {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind === "and" ? "all" : "any", of: filter.parts.map((part) => toCondition(type, part)) };
    case "not":
      return { kind: "not", of: toCondition(type, filter.part) };
    case "element": {
      const of = toCondition(type, filter.part);
      if (isLinked(type, filter.place)) return { kind: "linked", of: unlinked(of) };
      return { kind: "element", attributes: namesOf(filter.place), of };
    }
    case "present":
      return present(type, filter.place);
    case "compare":
      return tested(type, filter.place, { op: filter.op, text: filter.value });
  }
}

const isLinked = (type: ResourceType, { attribute }: Place): boolean => attribute.name === linkedList[type.name];

// Inside the brackets each test is about the one group or member that the brackets mean, not about any.
function unlinked(condition: Condition): Condition {
  switch (condition.kind) {
    case "all":
    case "any":
      return { ...condition, of: condition.of.map(unlinked) };
    case "not":
      return { ...condition, of: unlinked(condition.of) };
    case "linked":
      return condition.of;
    default:
      return condition;
  }
}

const nameOf = ({ schema, attribute, sub }: Place): string => keptAs(schema, attribute, sub);

/** The names under which the values of a place are kept: of all its parts, where it has parts. */
function namesOf(place: Place): string[] {
  const { schema, attribute, sub } = place;
  if (sub || !attribute.subAttributes) return [nameOf(place)];
  return attribute.subAttributes.map((each) => keptAs(schema, attribute, each));
}

function present(type: ResourceType, place: Place): Condition {
  const { attribute, sub } = place;
  if (isLinked(type, place)) return { kind: "linked", of: { kind: "constant", holds: true } };
  if (attribute.name === "externalId") {
    return { kind: "column", column: "externalId", test: { op: "pr", text: "" } };
  }
  const isAlways = attribute.name === "meta" || attribute.name === "schemas" || columnOf(type, place) !== undefined;
  if (isAlways) return { kind: "constant", holds: sub === null || attribute.name === "meta" };
  return { kind: "has value", attributes: namesOf(place) };
}

const columnOf = (type: ResourceType, place: Place): Column | undefined =>
  place.schema.keptUnder === "" ? columns[type.name][nameOf(place)] : undefined;

function tested(type: ResourceType, place: Place, test: Test): Condition {
  const column = columnOf(type, place);
  if (column) return { kind: "column", column, test };
  if (isLinked(type, place)) return { kind: "linked", of: testedLink(type, place, test) };
  const name = nameOf(place);
  if (name === "meta.resourcetype") return { kind: "constant", holds: matchesText(test.op, type.name, test.text) };
  if (name === "schemas" || name === "meta.location" || name === "meta.version")
    throw refuseFilter(`"${name}" cannot be filtered by.`);
  return { kind: "value", attribute: name, test };
}

function testedLink(type: ResourceType, place: Place, test: Test): Condition {
  const name = place.sub?.name ?? "value";
  const column = linkedColumns[name];
  if (column) return { kind: "column", column, test };
  if (name !== "type") throw refuseFilter(`"${place.attribute.name}.${name}" cannot be filtered by.`);
  return { kind: "constant", holds: matchesText(test.op, linkedType[type.name].toLowerCase(), test.text) };
}
