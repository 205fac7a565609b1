import { badRequest } from "../response/scim-error.ts";
import { subAttribute } from "./attribute-path.ts";
import type { Attribute } from "./attribute-types.ts";

/** A resource, or an object inside one. Its names come from the schema table, never from a caller. */
export type JsonObject = Record<string, unknown>;

/** Names that could reach prototypes. No schema has them and no identity provider sends them. */
const forbidden = new Set(["__proto__", "constructor", "prototype"]);

const charactersMax = 8192;
const pictureCharactersMax = 131_072;
const keyCharactersMax = 512;
/** Also limits a list that grows with each PATCH. */
export const elementsMax = 1000;

export const objectOf = (value: unknown): JsonObject | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;

/** Returns the members of an object from a caller and refuses forbidden names. All such objects pass through here. */
export function entriesOf(object: JsonObject): [string, unknown][] {
  const members = Object.entries(object);
  for (const [name] of members) {
    if (forbidden.has(name.toLowerCase())) throw badRequest("invalidValue", `"${name}" is not a valid attribute name.`);
  }
  return members;
}

/** Parses a value to store. Returns undefined for null, an empty text and an empty list: they all mean no value. */
export function readValue(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined || value === "") return undefined;
  if (attribute.multiValued) return readList(attribute, value);
  return attribute.type === "complex" ? readComplex(attribute, value) : readSimple(attribute, value);
}

function readList(attribute: Attribute, value: unknown): JsonObject[] | undefined {
  const given = Array.isArray(value) ? value : [value];
  if (given.length > elementsMax) throw badRequest("invalidValue", `"${attribute.name}" has too many elements.`);
  const elements = given.map((each) => readElement(attribute, each)).filter((each) => each !== undefined);
  return elements.length === 0 ? undefined : elements;
}

/** Parses one element of a list: an object, or its bare value. */
export function readElement(attribute: Attribute, value: unknown): JsonObject | undefined {
  return value === null || value === "" ? undefined : readComplex(attribute, value);
}

function readComplex(attribute: Attribute, value: unknown): JsonObject | undefined {
  // Providers send a manager as an object, as a bare id, and as a list of one.
  const given = Array.isArray(value) ? value[0] : value;
  if (given === null || given === undefined || given === "") return undefined;
  const bare = subAttribute(attribute, "value");
  const object = objectOf(given) ?? (bare && typeof given !== "object" ? { value: given } : null);
  if (!object) throw badRequest("invalidValue", `"${attribute.name}" must be an object with sub-attributes.`);
  const parts: JsonObject = {};
  for (const [name, part] of entriesOf(object)) {
    const sub = subAttribute(attribute, name);
    if (!sub || sub.mutability === "readOnly") continue;
    const read = readValue(sub, part);
    if (read !== undefined) parts[sub.name] = read;
  }
  return Object.keys(parts).length === 0 ? undefined : parts;
}

function readSimple(attribute: Attribute, value: unknown): string | boolean {
  if (attribute.type === "boolean") return readFlag(attribute, value);
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") throw badRequest("invalidValue", `"${attribute.name}" must be a string.`);
  if (text.length > maxOf(attribute)) throw badRequest("invalidValue", `"${attribute.name}" is too long.`);
  if (text.includes("\u0000")) throw badRequest("invalidValue", `"${attribute.name}" contains the character U+0000.`);
  return text.toWellFormed();
}

function maxOf(attribute: Attribute): number {
  if (attribute.uniqueness === "server" || attribute.name === "externalId") return keyCharactersMax;
  return attribute.type === "reference" || attribute.type === "binary" ? pictureCharactersMax : charactersMax;
}

/** Some providers send booleans as the texts "True" and "False", or inside a list. Anything else is refused. */
function readFlag(attribute: Attribute, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  const only = Array.isArray(value) && value.length === 1 ? objectOf(value[0]) : null;
  if (only && Object.hasOwn(only, "value") && !Array.isArray(only.value)) return readFlag(attribute, only.value);
  throw badRequest("invalidValue", `"${attribute.name}" must be true or false.`);
}
