import type { SandboxCall } from "../../server/sandbox.ts";
import { badRequest } from "./api-error.ts";

/** What one property of a body may be. Objects with `fields` are closed: an unknown property is refused. */
export interface Field {
  type: "string" | "boolean" | "number" | "integer" | "object" | "array" | "any";
  required?: boolean;
  nullable?: boolean;
  lengthMax?: number;
  oneOf?: readonly (string | number)[];
  fields?: Fields;
  items?: Field;
}
export type Fields = Readonly<Record<string, Field>>;
export type Body = Record<string, unknown>;

/** Reads and checks a JSON body against its table of fields. */
export function readBody(call: SandboxCall, fields: Fields): Body {
  const body = readJson(call);
  checkObject(body, fields, "");
  return body as Body;
}

export function readJson(call: SandboxCall): unknown {
  if (call.body.length === 0) return {};
  try {
    return JSON.parse(call.body.toString("utf8"));
  } catch {
    throw badRequest("Invalid request: the body is not valid JSON.");
  }
}

export function checkObject(value: unknown, fields: Fields, at: string): void {
  if (!isObject(value)) throw invalid(at, "should be object");
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name))
      throw badRequest(`Invalid request: should NOT have additional property \`${at}${name}\`.`);
  }
  for (const [name, field] of Object.entries(fields)) {
    const property = value[name];
    if (property === undefined) {
      if (field.required) throw badRequest(`Invalid request: missing required property \`${at}${name}\`.`);
    } else {
      checkField(property, field, `${at}${name}`);
    }
  }
}

function checkField(value: unknown, field: Field, name: string): void {
  if (value === null && field.nullable) return;
  if (!hasType(value, field.type)) throw invalid(name, `should be ${field.type}`);
  if (field.oneOf && !field.oneOf.includes(value as string | number)) {
    throw invalid(name, `should be equal to one of the allowed values "${field.oneOf.join(", ")}"`);
  }
  if (field.lengthMax !== undefined && (value as string | unknown[]).length > field.lengthMax) {
    const unit = Array.isArray(value) ? "items" : "characters";
    throw invalid(name, `should NOT have more than ${field.lengthMax} ${unit}`);
  }
  if (field.fields) checkObject(value, field.fields, `${name}.`);
  const { items } = field;
  if (items) for (const [index, item] of (value as unknown[]).entries()) checkField(item, items, `${name}[${index}]`);
}

function hasType(value: unknown, type: Field["type"]): boolean {
  if (type === "any") return true;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

const invalid = (name: string, what: string) =>
  badRequest(`Invalid request: ${name === "" ? "body" : `\`${name}\``} ${what}.`);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
