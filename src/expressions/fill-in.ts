import { pointerTo } from "../kernel/json-pointer.ts";
import { someText } from "../kernel/some-text.ts";
import { expressionLimits } from "../untrusted/compute-limits.ts";
import { followPath, needsEvaluator } from "../untrusted/expression-syntax/plain-path.ts";
import {
  type Expression,
  hasBraces,
  isExpression,
  isMistake,
  type Part,
} from "../untrusted/expression-syntax/split-text.ts";
import { weightUpTo } from "../untrusted/weight.ts";
import type { Evaluator, FailureReason, ReadText, Values } from "./evaluate.ts";

export type { Evaluator, ReadText, Values } from "./evaluate.ts";

/** An expression without a value: its pointer in the template, and a sentence about why. */
export class ExpressionFailed extends Error {
  readonly pointer: string;
  readonly detail: string;
  readonly reason: FailureReason;

  constructor(pointer: string, expression: string, reason: FailureReason, why: string) {
    const shown = expression.length > 100 ? `${expression.slice(0, 100)}…` : expression;
    const detail = `{{${shown}}}: ${why}`;
    super(detail);
    this.name = "ExpressionFailed";
    this.pointer = pointer;
    this.detail = detail;
    this.reason = reason;
  }
}

const reasonsInWords: Record<Exclude<FailureReason, "failed">, string> = {
  "too long": `It took longer than ${expressionLimits.milliseconds} milliseconds.`,
  "too deep": "It calls itself too deeply.",
  "too big": "Its result is too large.",
  "sees too much": "Its input is larger than 16 MiB: name only the part that you need.",
};

/**
 * Replaces {{ … }} everywhere in the template, in values and not in names. A string that is one expression becomes its
 * value, of whatever type; within other text a value is written as text. A member whose expression has no value is left
 * out. Never call it inside a transaction: it may wait for another process.
 */
export async function fillIn(template: unknown, values: Values, evaluator: Evaluator): Promise<unknown> {
  if (!someText(template, hasBraces)) return template;
  const filled = new Map<string, unknown>();
  const read = await evaluator.read(textsIn(template));
  let left = expressionLimits.filledWeight;
  for (const { pointer, parts } of textsWithBraces(template, read)) {
    const value = await fill(pointer, parts, values, evaluator);
    left -= weightUpTo(value, left);
    if (left < 0) throw new ExpressionFailed(pointer, firstOf(parts), "too big", tooMuch);
    filled.set(pointer, value);
  }
  return filled.size === 0 ? template : (rebuild(template, "", filled) ?? null);
}

const tooMuch =
  "Together with the expressions before it, it returns more than 32 MiB: name only the parts that you need.";

const firstOf = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === "string" ? "" : part.text)).find((text) => text !== "") ?? "";

/**
 * The items of a `foreach`, or null if it is no list. The expression language turns a list of one into its only item,
 * and an empty list into nothing, so an evaluated result is made a list again. A plain path returns exactly the value
 * that is there.
 */
export async function itemsOf(template: unknown, values: Values, evaluator: Evaluator): Promise<unknown[] | null> {
  const [only] = typeof template === "string" ? (await evaluator.read([template]))(template) : [];
  const path = only !== undefined && isExpression(only) ? only.path : null;
  const isEvaluated = typeof template === "string" && !(path && followPath(path, values) !== needsEvaluator);
  const given = await fillIn(template, values, evaluator);
  if (Array.isArray(given)) return given;
  if (!isEvaluated) return null;
  return given === null ? [] : [given];
}

/** Whether the condition holds, by the rules of the expression language: nothing, 0, "" and empty lists are false. */
export async function isTrue(condition: string, values: Values, evaluator: Evaluator): Promise<boolean> {
  return holds(await fillIn(condition.trim(), values, evaluator));
}

function holds(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holds);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

export interface TextWithBraces {
  pointer: string;
  parts: Part[];
}

/** Every text that holds an expression, with a JSON Pointer from the template's root. */
export function textsWithBraces(template: unknown, read: ReadText, pointer = ""): TextWithBraces[] {
  if (typeof template === "string") return hasBraces(template) ? [{ pointer, parts: read(template) }] : [];
  if (typeof template !== "object" || template === null) return [];
  return Object.entries(template).flatMap(([name, inner]) => textsWithBraces(inner, read, pointerTo(pointer, name)));
}

/** The same texts, without reading their expressions. */
export function textsIn(template: unknown): string[] {
  if (typeof template === "string") return hasBraces(template) ? [template] : [];
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(textsIn);
}

async function fill(pointer: string, parts: Part[], values: Values, evaluator: Evaluator): Promise<unknown> {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && isExpression(only)) return resultOf(pointer, only, values, evaluator);
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else if (isMistake(part)) throw new ExpressionFailed(pointer, part.text, "failed", part.mistake);
    else text += asText(await resultOf(pointer, part, values, evaluator));
    if (text.length > expressionLimits.filledWeight) {
      throw new ExpressionFailed(pointer, firstOf(parts), "too big", tooMuch);
    }
  }
  return text;
}

const asText = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

async function resultOf(
  pointer: string,
  expression: Expression,
  values: Values,
  evaluator: Evaluator,
): Promise<unknown> {
  if (expression.path) {
    const value = followPath(expression.path, values);
    if (value !== needsEvaluator) return value;
  }
  const result = await evaluator.evaluate(expression.text, neededOf(expression, values));
  if ("value" in result) return result.value;
  const why = result.failed === "failed" ? (result.detail ?? "It failed.") : reasonsInWords[result.failed];
  throw new ExpressionFailed(pointer, expression.text, result.failed, why);
}

/** Copying costs, and outputs can be large: only what the expression names is passed on. */
function neededOf({ references }: Expression, values: Values): Partial<Values> {
  const needed: Partial<Values> = {};
  for (const root of references.roots) if (values[root] !== undefined) Object.assign(needed, { [root]: values[root] });
  if (needed.steps && !references.isOpen) {
    const named = references.steps.filter(({ name }) => Object.hasOwn(values.steps, name));
    needed.steps = Object.fromEntries(named.map(({ name }) => [name, values.steps[name] as Values["steps"][string]]));
  }
  return needed;
}

/** The template with its texts replaced. Built member by member, so that __proto__ is a member like others. */
function rebuild(template: unknown, pointer: string, filled: Map<string, unknown>): unknown {
  if (typeof template === "string") return filled.has(pointer) ? filled.get(pointer) : template;
  if (typeof template !== "object" || template === null) return template;
  if (Array.isArray(template)) {
    return template.map((item, index) => rebuild(item, pointerTo(pointer, index), filled) ?? null);
  }
  const members = Object.entries(template).map(([name, inner]) => [
    name,
    rebuild(inner, pointerTo(pointer, name), filled),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
