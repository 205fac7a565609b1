import type * as z from "zod";
import { pointerTo } from "../kernel/json-pointer.ts";
import type { FieldError } from "../kernel/problem.ts";
import { hasBraces } from "../untrusted/expression-syntax/split-text.ts";

/** What is certainly wrong with a step's input before its expressions have values; pointers lead into the input. */
export function findInputMistakes(schema: z.ZodType, input: Record<string, unknown>): FieldError[] {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.filter((issue) => isCertain(issue, input)).flatMap(toFieldErrors);
}

/** A value that an expression may still change cannot be wrong yet. */
function isCertain(issue: z.core.$ZodIssue, input: unknown): boolean {
  let value = input;
  for (const name of issue.path) {
    if (isOpen(value)) return false;
    value = memberOf(value, name);
  }
  if (isOpen(value)) return false;
  // Types and names are certain; every other rule may depend on values inside.
  return issue.code === "invalid_type" || issue.code === "unrecognized_keys" || !holdsExpression(value);
}

const isOpen = (value: unknown): boolean => typeof value === "string" && hasBraces(value);

const memberOf = (value: unknown, name: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<PropertyKey, unknown>)[name]
    : undefined;

const holdsExpression = (value: unknown): boolean =>
  isOpen(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsExpression));

function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const pointer = issue.path.reduce<string>((so, name) => pointerTo(so, String(name)), "");
  if (issue.code !== "unrecognized_keys") return [{ pointer, code: issue.code, detail: issue.message }];
  return issue.keys.map((key) => ({
    pointer: pointerTo(pointer, key),
    code: issue.code,
    detail: `There is no input "${key}".`,
  }));
}
