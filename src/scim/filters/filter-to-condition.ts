import type { Column, Condition, Test } from "../../access/directory/condition.ts";
import type { AttributePath } from "../schema/attribute-path.ts";
import type { ResourceType } from "../schema/schemas.ts";
import { refuseFilter } from "./filter-tokens.ts";
import { matchesText } from "./match-in-memory.ts";
import { type Filter, storedName } from "./parse-filter.ts";

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

/** Translates a filter into a condition of the store. */
export function toCondition(type: ResourceType, filter: Filter): Condition {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind === "and" ? "all" : "any", of: filter.parts.map((part) => toCondition(type, part)) };
    case "not":
      return { kind: "not", of: toCondition(type, filter.part) };
    case "element": {
      const of = toCondition(type, filter.part);
      if (isLinked(type, filter.path)) return { kind: "linked", of: unlinked(of) };
      return { kind: "element", attributes: namesOf(filter.path), of };
    }
    case "present":
      return present(type, filter.path);
    case "compare":
      return tested(type, filter.path, { op: filter.op, text: filter.value });
  }
}

const isLinked = (type: ResourceType, { attribute }: AttributePath): boolean =>
  attribute.name === linkedList[type.name];

// Inside the brackets each test applies to the same group or member, not to any of them.
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

const nameOf = ({ schema, attribute, sub }: AttributePath): string => storedName(schema, attribute, sub);

/** The names under which the store keeps the values of a path: of all sub-attributes, where it has some. */
function namesOf(path: AttributePath): string[] {
  const { schema, attribute, sub } = path;
  if (sub || !attribute.subAttributes) return [nameOf(path)];
  return attribute.subAttributes.map((each) => storedName(schema, attribute, each));
}

function present(type: ResourceType, path: AttributePath): Condition {
  const { attribute, sub } = path;
  if (isLinked(type, path)) return { kind: "linked", of: { kind: "constant", holds: true } };
  if (attribute.name === "externalId") {
    return { kind: "column", column: "externalId", test: { op: "pr", text: "" } };
  }
  const isAlways = attribute.name === "meta" || attribute.name === "schemas" || columnOf(type, path) !== undefined;
  if (isAlways) return { kind: "constant", holds: sub === null || attribute.name === "meta" };
  return { kind: "has value", attributes: namesOf(path) };
}

const columnOf = (type: ResourceType, path: AttributePath): Column | undefined =>
  path.schema.valuePrefix === "" ? columns[type.name][nameOf(path)] : undefined;

function tested(type: ResourceType, path: AttributePath, test: Test): Condition {
  const column = columnOf(type, path);
  if (column) return { kind: "column", column, test };
  if (isLinked(type, path)) return { kind: "linked", of: testedLink(type, path, test) };
  const name = nameOf(path);
  if (name === "meta.resourcetype") return { kind: "constant", holds: matchesText(test.op, type.name, test.text) };
  if (name === "schemas" || name === "meta.location" || name === "meta.version")
    throw refuseFilter(`"${name}" cannot be used in a filter.`);
  return { kind: "value", attribute: name, test };
}

function testedLink(type: ResourceType, path: AttributePath, test: Test): Condition {
  const name = path.sub?.name ?? "value";
  const column = linkedColumns[name];
  if (column) return { kind: "column", column, test };
  if (name !== "type") throw refuseFilter(`"${path.attribute.name}.${name}" cannot be used in a filter.`);
  return { kind: "constant", holds: matchesText(test.op, linkedType[type.name].toLowerCase(), test.text) };
}
