import * as z from "zod";
import { readsOnly } from "../../steps/ports.ts";
import { runStep } from "../../steps/run-step.ts";
import { toProblem } from "../../steps/to-problem.ts";
import { type Step, step } from "../../systems/define.ts";
import type { KnownWait } from "../../systems/index.ts";
import { stepProblem } from "../../systems/step-problems.ts";
import type { Seen } from "../../systems/waits.ts";
import type { ToolStep } from "../../tools/definition.ts";
import { waitConnectionOf } from "../../tools/find-mistakes.ts";
import type { StepRecord } from "../journal/journal.ts";
import type { RunContext } from "../outcome/ports.ts";
import { finished, type StepDone } from "../outcome/step-result.ts";
import { stepsIn } from "../record/run-record.ts";
import { callOf } from "./call-step.ts";

const timeoutSecondsDefault = 3600;

/** Reads the state once, through policy, limits and tokens like every step. */
const readOnce = ({ id, title, system, input, read }: KnownWait): Step =>
  step({
    id,
    title,
    summary: title,
    forModels: "",
    words: [],
    system,
    effect: "read",
    needsLevel: null,
    input,
    output: z.custom<Seen>(),
    examples: [],
    *work(given) {
      return { output: yield* read(given) };
    },
  });

/** Polls until the state is final. Between two polls, no worker holds the run. */
export async function waitForSystem(
  context: RunContext,
  toolStep: ToolStep,
  wait: KnownWait,
  record: StepRecord,
  { timeout_seconds: timeout = timeoutSecondsDefault, ...input }: { timeout_seconds?: number },
): Promise<StepDone> {
  const failed = (problem: StepRecord["problem"]): StepDone => ({
    kind: "done",
    record: finished(context, record, { status: "failed", problem }),
  });
  const connectionId = waitConnectionOf(wait, stepsIn(context.run.work), record.position) ?? "";
  const connection = await context.ports.vault.find(context.run.projectId, connectionId);
  if (!connection) {
    return failed(stepProblem("needs_reconnect", `The connection of step ${toolStep.name} is not there.`));
  }
  const call = callOf(context, toolStep, { step: readOnce(wait), connection, input }, record);
  const end = await runStep(call, { ...context.ports, journal: readsOnly });
  const now = context.ports.now();
  const waited = (now.getTime() - new Date(record.startedAt).getTime()) / 1000;
  if (end.status !== "succeeded") {
    const problem = toProblem(end.failed.failure, context.run.id, now, connection.id);
    return problem.retry === "later" && waited < timeout
      ? waitAgain(context, wait, record, waited, problem.detail)
      : failed(problem);
  }
  const { output, isFinal, what, state } = end.output as Seen;
  if (isFinal) return { kind: "done", record: finished(context, record, { status: "succeeded", output }) };
  if (waited >= timeout) return failed(stepProblem("timed_out", `${what} is still ${state} after ${timeout} s.`));
  return waitAgain(context, wait, record, waited, `${what} is ${state}.`);
}

function waitAgain(
  context: RunContext,
  { kind, pauseSeconds: { min, max } }: KnownWait,
  record: StepRecord,
  waited: number,
  detail: string,
): StepDone {
  const seconds = Math.min(max, min + waited / 20);
  const runAt = new Date(context.ports.now().getTime() + seconds * 1000);
  return {
    kind: "waits",
    record: { ...record, status: "waiting", tries: record.tries + 1 },
    waitingFor: { kind, step: record.name, detail, until: runAt.toISOString() },
    runAt,
  };
}
