import type * as z from "zod";
import { nearest } from "../kernel/nearest-names.ts";

/** "Wrong keys name the valid ones": the message of an issue, and the names that are possible there. */
export function withValidNames(issue: z.core.$ZodIssue, schema: z.ZodType | undefined): string {
  const wrong = wrongNamesIn(issue);
  const valid =
    schema && wrong.length > 0 ? namesAt(schema, issue.code === "invalid_key" ? up(issue.path) : issue.path) : [];
  if (valid.length === 0) return issue.message;
  const [like] = wrong.flatMap((name) => nearest(name, toNamed(valid), 1));
  const meant = like === undefined ? "" : ` Did you mean \`${like}\`?`;
  const listed = valid.map((name) => `\`${name}\``).join(", ");
  return `${wrong.map((name) => `"${name}"`).join(", ")} is not known here.${meant} Valid are: ${listed}.`;
}

const up = (path: PropertyKey[]): PropertyKey[] => path.slice(0, -1);
const toNamed = (names: readonly string[]) => names.map((name) => ({ name }));

function wrongNamesIn(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.slice(0, 10);
  return issue.code === "invalid_key" ? [String(issue.path.at(-1) ?? "")] : [];
}

/** What is needed of the parts that a schema is made of. */
interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  in?: z.ZodType;
  valueType?: z.ZodType;
  keyType?: z.ZodType;
  options?: z.ZodType[];
  entries?: Record<string, string>;
}
const definitionOf = (schema: z.ZodType): Definition => (schema as unknown as { def: Definition }).def;

/** The names of the members at this path; empty if it is no object, or one with any names. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const { shape, element, innerType, in: input, valueType, keyType, options } = definitionOf(schema);
  const wrapped = innerType ?? input;
  if (wrapped) return namesAt(wrapped, path);
  if (options) return options.map((option) => namesAt(option, path)).find((names) => names.length > 0) ?? [];
  const [first, ...rest] = path;
  if (first === undefined)
    return shape ? Object.keys(shape) : keyType ? Object.keys(definitionOf(keyType).entries ?? {}) : [];
  const next = shape ? shape[String(first)] : (element ?? valueType);
  return next ? namesAt(next, rest) : [];
}
