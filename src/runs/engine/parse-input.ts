import { parseWithin } from "../../kernel/parse-within.ts";
import type { Step } from "../../systems/define.ts";
import { freezeDeeply } from "../../tools/stored-definition.ts";

type Parsed = ReturnType<typeof parseWithin<Step["input"]>>;

const parsedBefore = new WeakMap<object, { step: Step; parsed: Parsed }>();

/**
 * Checks the input of a step. An input without expressions is part of its tool's definition, the same frozen value in each run, so it is
 * checked once. The result is frozen, too: no run can change the input of another.
 */
export function parseInput(step: Step, input: unknown): Parsed {
  if (typeof input !== "object" || input === null || !Object.isFrozen(input)) return parseWithin(step.input, input);
  const before = parsedBefore.get(input);
  if (before?.step === step) return before.parsed;
  const parsed = parseWithin(step.input, input);
  if (parsed.success) freezeDeeply(parsed.data);
  parsedBefore.set(input, { step, parsed });
  return parsed;
}
