import type { FieldMistake } from "../../../client/problem.ts";
import type { FieldMistakes } from "../../forms/form-context.ts";

const kinds: Record<string, string> = {
  "a string": "a text",
  "a number": "a number",
  "an integer": "a whole number",
  "a boolean": "yes or no",
  "an array": "a list",
  "an object": "a group of fields",
};

/** The server's sentences name types, as programs do. */
export function plainly(detail: string): string {
  if (/^This member is required\.$|, received null\.$|^It must not be empty\.$/.test(detail)) return "This is needed.";
  const [, kind = ""] = /^Expected (an? \w+), received /.exec(detail) ?? [];
  return kinds[kind] === undefined ? detail : `This must be ${kinds[kind]}.`;
}

/** The mistakes below a pointer, by what is left of theirs: `#/steps/1/input/branch` below `/steps/1/input` is `branch`. */
export function mistakesAt(mistakes: readonly FieldMistake[], pointer: string): FieldMistakes {
  const found: FieldMistakes = {};
  for (const { pointer: at, detail } of mistakes) {
    const plain = at.replace(/^#/, "");
    if (plain !== pointer && !plain.startsWith(`${pointer}/`)) continue;
    const rest = plain.slice(pointer.length + 1);
    found[rest] = [...(found[rest] ?? []), plainly(detail)];
  }
  return found;
}

/** The sentences for one pointer itself. */
export const mistakeAt = (mistakes: readonly FieldMistake[], pointer: string): string | undefined => {
  const own = mistakes
    .filter(({ pointer: at }) => at.replace(/^#/, "") === pointer)
    .map(({ detail }) => plainly(detail));
  return own.length === 0 ? undefined : own.join(" ");
};
