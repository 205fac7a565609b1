import type { FieldMistake } from "../../../client/problem.ts";
import type { FieldMistakes } from "../../forms/form-context.ts";

/** The mistakes below a pointer, by what is left of theirs: `#/steps/1/input/branch` below `/steps/1/input` is `branch`. */
export function mistakesAt(mistakes: readonly FieldMistake[], pointer: string): FieldMistakes {
  const found: FieldMistakes = {};
  for (const { pointer: at, detail } of mistakes) {
    const plain = at.replace(/^#/, "");
    if (plain !== pointer && !plain.startsWith(`${pointer}/`)) continue;
    const rest = plain.slice(pointer.length + 1);
    found[rest] = [...(found[rest] ?? []), detail];
  }
  return found;
}

/** The sentences for one pointer itself. */
export const mistakeAt = (mistakes: readonly FieldMistake[], pointer: string): string | undefined => {
  const own = mistakes.filter(({ pointer: at }) => at.replace(/^#/, "") === pointer).map(({ detail }) => detail);
  return own.length === 0 ? undefined : own.join(" ");
};
