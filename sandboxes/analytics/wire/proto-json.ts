import { badRequest, type Violation } from "./api-error.ts";

type Scalar = "string" | "bool" | "int32" | "int64" | "double" | "anything";

/** Names in the order of their numbers; holes in the numbering are empty. */
export interface EnumType {
  enumName: string;
  values: readonly string[];
}

export interface MessageType {
  messageName: string;
  fields: Record<string, Field>;
}

type FieldType = Scalar | EnumType | (() => MessageType);

interface Field {
  type: FieldType;
  repeated: boolean;
  oneof?: string;
}

export const one = (type: FieldType): Field => ({ type, repeated: false });
export const many = (type: FieldType): Field => ({ type, repeated: true });
/** One of a group of which at most one may be set. */
export const oneOf = (oneof: string, type: FieldType): Field => ({ type, repeated: false, oneof });

export type Message = Record<string, unknown>;

/** Reads a body by the rules of proto3 JSON and refuses, as the vendor does, everything at once that does not fit. */
export function readMessage(type: MessageType, body: Buffer, rootPath = ""): Message {
  const text = body.toString();
  // An empty body counts as {}.
  const value = text.trim() === "" ? {} : parseJson(text);
  if (!isObject(value)) {
    throw badRequest([
      { description: 'Invalid JSON payload received. Unknown name "": Root element must be a message.' },
    ]);
  }
  refuseDeep(value, 0);
  const violations: Violation[] = [];
  const message = readFields(type, value, rootPath, violations);
  if (violations.length > 0) throw badRequest(violations);
  return message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? text.length);
    const what = at >= text.length ? "Unexpected end of string. Expected a value." : "Unexpected token.";
    const start = Math.max(0, at - 20);
    throw badRequest([
      {
        description: `Invalid JSON payload received. ${what}\n${text.slice(start, at + 20)}\n${" ".repeat(at - start)}^`,
      },
    ]);
  }
}

const depthMax = 100;

function refuseDeep(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > depthMax)
    throw badRequest([
      { description: "Invalid JSON payload received. Message too deep. Max recursion depth reached." },
    ]);
  for (const each of Object.values(value)) refuseDeep(each, depth + 1);
}

function readFields(type: MessageType, value: Message, path: string, violations: Violation[]): Message {
  const message: Message = {};
  const taken = new Map<string, string>();
  for (const [key, given] of Object.entries(value)) {
    const name = toCamel(key);
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    if (!field) {
      violations.push(unknownName(key, path, "Cannot find field."));
      continue;
    }
    if (given === null) continue;
    if (field.oneof !== undefined) {
      const earlier = taken.get(field.oneof);
      if (earlier !== undefined) {
        const at = path === "" ? "" : ` at '${path}'`;
        const description = `Invalid value${at} (oneof), oneof field '${field.oneof}' is already set. Cannot set '${toSnake(name)}'`;
        violations.push(path === "" ? { description } : { field: path, description });
        continue;
      }
      taken.set(field.oneof, name);
    }
    message[name] = readField(field, given, path === "" ? toSnake(name) : `${path}.${toSnake(name)}`, violations, key);
  }
  return message;
}

function readField(field: Field, given: unknown, path: string, violations: Violation[], key: string): unknown {
  if (field.repeated) {
    // A single value where a list is expected is taken as a list of one.
    const list = Array.isArray(given) ? given : [given];
    return list.map((each, index) => readValue(field.type, each, `${path}[${index}]`, violations));
  }
  if (Array.isArray(given) && field.type !== "anything") {
    const parent = path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : "";
    violations.push(unknownName(key, parent, "Proto field is not repeating, cannot start list."));
    return undefined;
  }
  return readValue(field.type, given, path, violations);
}

function readValue(type: FieldType, given: unknown, path: string, violations: Violation[]): unknown {
  if (typeof type === "function") {
    const message = type();
    if (isObject(given)) return readFields(message, given, path, violations);
    return wrong(path, `type.googleapis.com/${message.messageName}`, given, violations);
  }
  if (typeof type === "object") return readEnum(type, given, path, violations);
  const read = readScalar(type, given);
  return read === undefined ? wrong(path, `TYPE_${type.toUpperCase()}`, given, violations) : read;
}

function readEnum(type: EnumType, given: unknown, path: string, violations: Violation[]): unknown {
  if (typeof given === "number" && Number.isInteger(given)) return type.values[given] || type.values[0];
  if (typeof given === "string" && given !== "" && type.values.includes(given)) return given;
  return wrong(path, `type.googleapis.com/${type.enumName}`, given, violations);
}

function readScalar(type: Scalar, given: unknown): unknown {
  if (type === "anything") return given;
  if (type === "string") return typeof given === "string" ? given : undefined;
  if (type === "bool") return typeof given === "boolean" ? given : undefined;
  const isNumeric = typeof given === "number" || (typeof given === "string" && given.trim() !== "");
  const number = isNumeric ? Number(given) : Number.NaN;
  if (Number.isNaN(number)) return undefined;
  if (type === "double") return number;
  const max = type === "int32" ? 2 ** 31 : 2 ** 63;
  return Number.isInteger(number) && number < max && number >= -max ? number : undefined;
}

function wrong(path: string, typeName: string, given: unknown, violations: Violation[]): undefined {
  const description = `Invalid value at '${path}' (${typeName}), ${JSON.stringify(given)}`;
  violations.push({ field: path, description });
  return undefined;
}

function unknownName(key: string, path: string, why: string): Violation {
  const at = path === "" ? "" : ` at '${path}'`;
  const description = `Invalid JSON payload received. Unknown name "${key}"${at}: ${why}`;
  return path === "" ? { description } : { field: path, description };
}

export const toCamel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
export const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isObject = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value);
