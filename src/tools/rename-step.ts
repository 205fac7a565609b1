import type { ReadText } from "../expressions/fill-in.ts";
import { pointerTo } from "../kernel/json-pointer.ts";
import { type Expression, hasBraces, isExpression, isMistake } from "../untrusted/expression-syntax/split-text.ts";
import type { ToolDefinition, ToolStep } from "./definition.ts";

export interface Renaming {
  definition: ToolDefinition;
  /** How many references were rewritten. */
  rewritten: number;
  /**
   * Pointers to expressions that may refer to steps indirectly, such as `$lookup(steps, …)`. A person must check these.
   */
  unsure: string[];
}

/** "Renaming a step rewrites its references." Everything else in the texts stays as it was written. */
export function renameStepIn(definition: ToolDefinition, from: string, to: string, read: ReadText): Renaming {
  const renaming: Renaming = { definition, rewritten: 0, unsure: [] };

  function rewrite(value: unknown, pointer: string): unknown {
    if (typeof value === "string") return hasBraces(value) ? rewriteText(value, pointer) : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item, index) => rewrite(item, pointerTo(pointer, index)));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, rewrite(inner, pointerTo(pointer, name))]),
    );
  }

  function rewriteText(text: string, pointer: string): string {
    const parts = read(text);
    if (parts.some(isMistake)) return text;
    if (parts.some((part) => isExpression(part) && part.references.isOpen)) renaming.unsure.push(pointer);
    return parts.map((part) => (isExpression(part) ? `{{${rewriteExpression(part)}}}` : part)).join("");
  }

  function rewriteExpression({ text, references }: Expression): string {
    const ends = references.steps.filter(({ name }) => name === from).map(({ end }) => end);
    renaming.rewritten += ends.length;
    return ends.sort((a, b) => b - a).reduce((changed, end) => replaceName(changed, end, from, to), text);
  }

  const steps = definition.steps.map((step, index): ToolStep => {
    const at = `#/steps/${index}`;
    return {
      ...step,
      name: step.name === from ? to : step.name,
      input: rewrite(step.input, `${at}/input`) as ToolStep["input"],
      ...(step.if === undefined ? {} : { if: rewrite(step.if, `${at}/if`) as string }),
      ...(step.foreach === undefined ? {} : { foreach: rewrite(step.foreach, `${at}/foreach`) as string | unknown[] }),
    };
  });
  renaming.definition = {
    ...definition,
    steps,
    ...(definition.output === undefined ? {} : { output: rewrite(definition.output, "#/output") }),
  };
  return renaming;
}

/** A name may be in backticks. */
function replaceName(text: string, end: number, from: string, to: string): string {
  const last = text[end - 1] === "`" ? end - 1 : end;
  return text.slice(0, last - from.length) + to + text.slice(last);
}
