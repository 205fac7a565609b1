import { type ReadText, textsWithBraces } from "../expressions/fill-in.ts";
import type { FieldError } from "../kernel/problem.ts";
import type { RootName } from "../untrusted/expression-syntax/plain-path.ts";
import { type Expression, isExpression, isMistake } from "../untrusted/expression-syntax/split-text.ts";

/** The names that an expression can use at its position in the definition. */
export interface VisibleNames {
  roots: readonly RootName[];
  /** Steps that have ended by then, and those that have not. */
  steps: readonly string[];
  laterSteps: readonly string[];
  schema?: Record<string, unknown>;
}

/** The members of a step that expressions can use. */
const stepMembers = ["output", "status", "problem"];

/** Adds what is wrong with the expressions in a template; pointers begin with `at`. */
export function checkExpressions(
  template: unknown,
  at: string,
  visible: VisibleNames,
  read: ReadText,
  found: { mistakes: FieldError[]; warnings: FieldError[] },
): void {
  for (const { pointer, parts } of textsWithBraces(template, read)) {
    const add = (list: FieldError[], code: string, detail: string) =>
      list.push({ pointer: at + pointer, code, detail });
    for (const part of parts) {
      if (isMistake(part)) add(found.mistakes, "invalid_expression", `{{${shorten(part.text)}}}: ${part.mistake}`);
      if (!isExpression(part)) continue;
      for (const [code, detail] of mistakesOf(part, visible)) add(found.mistakes, code, detail);
      for (const [code, detail] of warningsOf(part, visible)) add(found.warnings, code, detail);
    }
  }
}

const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

function* mistakesOf({ references }: Expression, visible: VisibleNames): Iterable<[code: string, detail: string]> {
  const known = visible.roots.join(", ");
  for (const name of references.unknown) {
    yield ["unknown_name", `"${name}" stands for nothing here; an expression begins with ${known}.`];
  }
  if (!references.isOpen) {
    for (const root of references.roots) {
      if (!visible.roots.includes(root)) yield ["unknown_name", `"${root}" is not known here; known are ${known}.`];
    }
  }
  for (const { name, member } of references.steps) {
    if (visible.laterSteps.includes(name)) yield ["later_step", `The step ${name} runs later than this.`];
    else if (!visible.steps.includes(name)) yield ["missing_step", `There is no step ${name} before this.`];
    else if (member !== null && !stepMembers.includes(member)) {
      yield ["unknown_name", `A step has ${stepMembers.join(", ")}: write steps.${name}.output.${member}.`];
    }
  }
  if (visible.schema?.additionalProperties !== false) return;
  for (const name of unlisted(references.params, visible.schema)) {
    yield ["unknown_param", `The params have no "${name}".`];
  }
}

function* warningsOf({ references }: Expression, visible: VisibleNames): Iterable<[code: string, detail: string]> {
  for (const root of references.misplaced) {
    yield ["misplaced_name", `Here names belong to the item of a list; write $${root} if you mean the tool's ${root}.`];
  }
  if (!visible.schema || visible.schema.additionalProperties === false || !visible.schema.properties) return;
  for (const name of unlisted(references.params, visible.schema)) {
    yield ["unknown_param", `params_schema does not list "${name}".`];
  }
}

const unlisted = (params: string[], schema: Record<string, unknown>): string[] =>
  [...new Set(params)].filter((name) => !Object.hasOwn((schema.properties ?? {}) as object, name));
