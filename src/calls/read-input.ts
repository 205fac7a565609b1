import type * as z from "zod";
import { shapeOf } from "../kernel/object-shape.ts";
import { parseStrictlyInSlices } from "../kernel/parse-strictly-in-slices.ts";
import { parseWithin } from "../kernel/parse-within.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import { JsonRefused, ordinaryMax, parseJson, smallCharacters } from "../kernel/strict-json.ts";
import type { Operation } from "./define-operation.ts";
import { withValidNames } from "./valid-names.ts";

type Body = Record<string, unknown>;

const depthMax = 32;

/** The body as a JSON object, or 400. A text of megabytes is read in slices. */
export function readBody(text: string): Body | Promise<Body> {
  if (text.length > smallCharacters) return readInSlices(text);
  try {
    return requireObject(parseJson(text, depthMax));
  } catch (error) {
    return refuseJson(error);
  }
}

const readInSlices = async (text: string): Promise<Body> =>
  requireObject(await parseStrictlyInSlices(text, depthMax, ordinaryMax).catch(refuseJson));

function refuseJson(error: unknown): never {
  throw error instanceof JsonRefused ? new Problem("malformed_request", error.message) : error;
}

function requireObject(value: unknown): Body {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Body;
  throw new Problem("malformed_request", "The body must be a JSON object.");
}

/**
 * The validated input of an operation: the known members of the body, and those of the path, which win.
 * A wrong type is 400, an unacceptable value 422; unknown members are dropped and never bound to anything.
 */
export function readInput(
  operation: Operation,
  body: Record<string, unknown>,
  inPath: Record<string, string>,
): unknown {
  const result = parseWithin(operation.input, withPath(operation, body, inPath), { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  throw notFoundBy(operation, issues, inPath) ?? refuseIssues(issues, [], operation.input);
}

/** Only known members: copying a body with tens of thousands of others takes more than 50 ms of the event loop. */
function withPath({ input }: Operation, body: Body, inPath: Record<string, string>): Body {
  if (isEmpty(inPath)) return body;
  const given: Body = {};
  for (const name in shapeOf(input)) {
    if (Object.hasOwn(inPath, name)) given[name] = inPath[name];
    else if (Object.hasOwn(body, name)) given[name] = body[name];
  }
  return given;
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** A malformed id in the path names nothing: the call gets the same 404 as with any other unknown id. */
function notFoundBy(
  { refuses }: Operation,
  issues: z.core.$ZodIssue[],
  inPath: Record<string, string>,
): Problem | undefined {
  const names = issues.map(({ path }) => String(path[0])).filter((name) => Object.hasOwn(inPath, name));
  const codes = names.map((name) => name.replace(/_(id|code)$/, "_not_found"));
  const code = refuses.find((each) => codes.includes(each));
  return code && new Problem(code);
}

/** A reader can use no more than this; the rest is counted. */
const errorsMax = 100;

/** `within` is the path of the checked value in the body; `schema`, what it was checked by, knows the valid names. */
export function refuseIssues(issues: z.core.$ZodIssue[], within: string[] = [], schema?: z.ZodType): Problem {
  const errors = issues.slice(0, errorsMax).map((issue) => toFieldError(issue, within, schema));
  const extras = { errors, errorsOmitted: issues.length - errors.length };
  if (issues.some(isShape)) {
    return new Problem("malformed_request", "A member of the body has the wrong type or is missing.", extras);
  }
  return new Problem("validation_failed", "A value in the body is not acceptable.", extras);
}

// A number where one of some words is expected has the wrong type; another word is an unacceptable value.
const isShape = (issue: z.core.$ZodIssue): boolean =>
  issue.code === "invalid_type" ||
  (issue.code === "invalid_value" && typeof issue.input !== "string") ||
  (issue.code === "custom" && issue.params?.kind === "shape");

const toFieldError = (issue: z.core.$ZodIssue, within: string[], schema: z.ZodType | undefined): FieldError => ({
  pointer: `#${[...within, ...issue.path].map((segment) => `/${escapePointer(String(segment))}`).join("")}`,
  code: issue.code === "custom" ? String(issue.params?.code ?? "invalid_value") : issue.code,
  detail: withValidNames(issue, schema),
});

const escapePointer = (segment: string): string => segment.replaceAll("~", "~0").replaceAll("/", "~1");
