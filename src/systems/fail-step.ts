import type { StepProblemCode } from "./step-problems.ts";
import type { Failure } from "./work.ts";

/** A failure in one line: nothing was done unless `more` says so. */
export const failed = (
  code: StepProblemCode,
  cure: Failure["cure"],
  detail: string,
  more: Partial<Omit<Failure, "code" | "detail" | "cure">> = {},
): Failure => ({ code, detail, cure, done: "no", ...more });
