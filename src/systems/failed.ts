import type { Failure } from "./define.ts";
import type { StepProblemCode } from "./problems.ts";

/** A failure in one line: nothing was done unless `more` says so. */
export const failed = (
  code: StepProblemCode,
  then: Failure["then"],
  detail: string,
  more: Partial<Omit<Failure, "code" | "detail" | "then">> = {},
  // biome-ignore lint/suspicious/noThenProperty: it is a word, never a function, so nothing takes it for a promise.
): Failure => ({ code, detail, then, done: "no", ...more });
