import { ExpressionFailed } from "../../expressions/fill-in.ts";
import { Problem } from "../../kernel/problem.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";

/** The problem of a template that could not be filled in; null for any other error. */
export function templateProblem(error: unknown, at: string): StepProblem | null {
  if (error instanceof ExpressionFailed) {
    return stepProblem("expression_failed", `${at}${error.pointer}: ${error.detail}`);
  }
  if (error instanceof Problem && error.code === "compute_exhausted") {
    return stepProblem("compute_exhausted", `${at}: ${error.message}`);
  }
  return null;
}
