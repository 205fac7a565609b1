import { invalidValue } from "../gateway/refusal.ts";
import { dateOnly, leadTime, readTime } from "../gateway/times.ts";
import type { Field } from "./fields.ts";

export type LeadValue = string | number | boolean;

// The service takes plain ASCII addresses only.
const address = /^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const wholeNumber = /^-?\d+$/;
const decimalNumber = /^-?\d+(\.\d+)?$/;

/** Reads a value into the field's type; null clears the field, and what does not fit is refused for its row. */
export function readFieldValue(field: Field, value: unknown): LeadValue | null {
  if (value === null || value === "") return null;
  if (typeof value === "object") throw invalidValue(field.name, value);
  const read = readers[field.type](String(value));
  if (read === null || (typeof read === "string" && field.length !== null && read.length > field.length)) {
    throw invalidValue(field.name, value);
  }
  return read;
}

type Reader = (text: string) => LeadValue | null;

const readText: Reader = (text) => text;
const readWhole: Reader = (text) => (wholeNumber.test(text) ? Number(text) : null);
const readDecimal: Reader = (text) => (decimalNumber.test(text) ? Number(text) : null);

const readers: Record<Field["type"], Reader> = {
  string: readText,
  text: readText,
  phone: readText,
  url: readText,
  email: (text) => (address.test(text) ? text : null),
  integer: readWhole,
  score: readWhole,
  reference: readWhole,
  float: readDecimal,
  percent: readWhole,
  currency: readDecimal,
  boolean: (text) => booleans.get(text.toLowerCase()) ?? null,
  date: (text) => format(readTime(text), dateOnly),
  datetime: (text) => format(readTime(text), leadTime),
};

const booleans = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

const format = (at: number | null, write: (at: number) => string) => (at === null ? null : write(at));
