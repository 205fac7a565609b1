import type { Scope } from "../access/scope.ts";
import { shapeOf } from "../kernel/object-shape.ts";
import { Problem } from "../kernel/problem.ts";
import type { StepPorts } from "../steps/ports.ts";
import { readOptions } from "../steps/read-options.ts";
import { toProblem } from "../steps/to-problem.ts";
import type { Step } from "../systems/define.ts";
import { StepFailed } from "../systems/work.ts";
import type { Vault } from "../vault/vault.ts";
import { callOf, requireConnectionFor, waitSecondsDefault } from "./prepare-step.ts";

export interface OptionsWish {
  field: string;
  connectionId: string;
  asked: { query: string; after: string | null; input: Record<string, unknown> };
}

/** The values to choose from for an input of the step, as the connected account has them now. */
export async function readStepOptions(
  scope: Scope,
  step: Step,
  { field, connectionId, asked }: OptionsWish,
  ports: { vault: Pick<Vault, "find">; steps: Omit<StepPorts, "journal"> },
) {
  const source = step.options?.[field];
  if (!source) throw noOptions(step, field);
  const connection = await requireConnectionFor(step, scope, connectionId, ports);
  const call = callOf(scope, { step, input: {}, connection, runId: "options", waitSeconds: waitSecondsDefault });
  return readOptions(source, asked, call, ports.steps).catch((error) => {
    if (!(error instanceof StepFailed)) throw error;
    const problem = toProblem(error.failure, "", scope.now(), connection.id);
    throw new Problem("options_unavailable", problem.detail, { more: { problem } });
  });
}

function noOptions(step: Step, field: string): Problem {
  const offered = Object.keys(step.options ?? {});
  const known = field in shapeOf(step.input);
  const detail = known
    ? `No values are looked up for "${field}": the step's schema says what it takes.`
    : `The step ${step.id} has no input "${field}".`;
  return new Problem("validation_failed", detail, {
    errors: [
      {
        pointer: "#/field",
        code: "no_options",
        detail: `Values are offered for ${offered.join(", ") || "none of its inputs"}.`,
      },
    ],
  });
}
