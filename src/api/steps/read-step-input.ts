import { refuseIssues } from "../../calls/read-input.ts";
import { shapeOf } from "../../kernel/object-shape.ts";
import { parseWithin } from "../../kernel/parse-within.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Step } from "../../systems/define.ts";

/** Checks a step's input by its schema; pointers lead into the member it came in. Bad input never starts a run. */
export function readStepInput(step: Step, given: Record<string, unknown>, member = "input"): unknown {
  const unknownName = Object.keys(given).find((name) => !(name in shapeOf(step.input)));
  if (unknownName !== undefined) {
    throw new Problem("validation_failed", `The step ${step.id} has no input "${unknownName}".`, {
      errors: [
        {
          pointer: `#/${member}/${unknownName}`,
          code: "unrecognized_keys",
          detail: `It takes ${Object.keys(shapeOf(step.input)).join(", ")}.`,
        },
      ],
    });
  }
  const result = parseWithin(step.input, given, { reportInput: true });
  if (result.success) return result.data;
  throw refuseIssues(result.error.issues, [member], step.input);
}
