import type { Failure } from "./define.ts";
import type { StepProblemCode } from "./problems.ts";

/** A failure in one line: nothing was done unless `more` says so. */
export const failed = (
  code: StepProblemCode,
  then: Failure["then"],
  detail: string,
  more: Partial<Omit<Failure, "code" | "detail" | "then">> = {},
): Failure => ({ code, detail, then, done: "no", ...more });
