import type { Scope } from "../../access/scope.ts";
import type { Rooms } from "../../calls/define.ts";
import { WrittenJson } from "../../kernel/json.ts";
import { Problem } from "../../kernel/problem.ts";
import { isLarge, writeInSlices } from "../../kernel/write-in-slices.ts";
import { callOf } from "../../runs/prepare-step.ts";
import { outputOfFailure, toProblem } from "../../runs/single-step.ts";
import type { StepWish } from "../../runs/step-now.ts";
import { readsOnly } from "../../steps/ports.ts";
import { runStep } from "../../steps/run-step.ts";
import type { Step } from "../../systems/define.ts";

/** A step that changes something is a run, and leaves its record. */
export function refuseWrites(step: Step, parsed: unknown): void {
  if ((step.effectOf?.(parsed) ?? step.effect) === "read") return;
  const detail = `With this input ${step.title} changes something, and a change is always a run.`;
  throw new Problem("validation_failed", detail, {
    errors: [{ pointer: "#/input", code: "not_a_read", detail: `Use \`steps/${step.id}/run\`.` }],
  });
}

/**
 * Reads with a step through policy, limits and account, and stores no run: a page that looks every few seconds would bury the
 * runs that people look for.
 */
export async function readNow(scope: Scope, wish: Omit<StepWish, "input">, rooms: Rooms): Promise<WrittenJson> {
  const { step, connection, parsed, waitSeconds } = wish;
  const call = callOf(scope, { step, input: parsed, connection, runId: "read", waitSeconds });
  const end = await runStep(call, { ...rooms.steps, journal: readsOnly });
  const isDone = end.status === "succeeded";
  const output = (isDone ? end.output : outputOfFailure(step, end.failed)) ?? null;
  const rest = {
    status: isDone ? "succeeded" : "failed",
    warnings: isDone ? end.warnings : [],
    limits: end.attempts.findLast(({ limits }) => limits)?.limits ?? [],
    ...(isDone ? {} : { problem: toProblem(end.failed.failure, "", scope.now()) }),
  };
  const outputText = isLarge(output) ? await writeInSlices(output) : JSON.stringify(output);
  return new WrittenJson(`${JSON.stringify(rest).slice(0, -1)},"output":${outputText}}`);
}
