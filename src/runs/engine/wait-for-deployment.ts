import * as z from "zod";
import { readsOnly } from "../../steps/ports.ts";
import { runStep } from "../../steps/run-step.ts";
import { type Step, step } from "../../systems/define.ts";
import { apiRequest } from "../../systems/deployment/protocol/api-request.ts";
import { type DeploymentRecord, readDeployment } from "../../systems/deployment/protocol/records.ts";
import { isFinal } from "../../systems/deployment/steps/fields.ts";
import { deployment } from "../../systems/deployment/system.ts";
import { segment } from "../../systems/paths.ts";
import { stepProblem } from "../../systems/problems.ts";
import { send } from "../../systems/work.ts";
import type { ToolStep } from "../../tools/definition.ts";
import { deploymentConnectionOf } from "../../tools/mistakes.ts";
import type { StepRecord } from "../journal/journal.ts";
import { stepsIn } from "../run-record.ts";
import { toProblem } from "../single-step.ts";
import { callOf } from "./call-step.ts";
import type { RunContext } from "./ports.ts";
import { finished, type StepDone } from "./step-done.ts";

const timeoutSecondsDefault = 3600;
// "Poll no faster than every 2 to 5 s"; a long build is polled less often.
const pauseSecondsMin = 3;
const pauseSecondsMax = 20;

/** Reads a deployment once. */
const readOnce: Step = step({
  id: "wait_for_deployment",
  title: "Wait for a deployment",
  summary: "Looks at a deployment.",
  forModels: "",
  words: [],
  system: deployment,
  effect: "read",
  needsLevel: null,
  input: z.object({ deployment_id: z.string() }),
  output: z.object({ state: z.string() }),
  examples: [],
  *work({ deployment_id }) {
    const { body } = yield* send(apiRequest("GET", `/v13/deployments/${segment(deployment_id)}`));
    return { output: readDeployment(body) };
  },
});

/** Polls until the deployment reaches its final state. Between two polls, no worker holds the run. */
export async function waitForDeployment(
  context: RunContext,
  toolStep: ToolStep,
  record: StepRecord,
  input: { deployment_id: string; timeout_seconds?: number | undefined },
): Promise<StepDone> {
  const failed = (problem: StepRecord["problem"]): StepDone => ({
    kind: "done",
    record: finished(context, record, { status: "failed", problem }),
  });
  const connectionId = deploymentConnectionOf(stepsIn(context.run.work), record.position) ?? "";
  const connection = await context.ports.vault.find(context.run.projectId, connectionId);
  if (!connection) {
    return failed(stepProblem("needs_reconnect", `The connection of step ${toolStep.name} is not there.`));
  }
  const called = { step: readOnce, connection, input: { deployment_id: input.deployment_id } };
  const call = callOf(context, toolStep, called, record);
  const end = await runStep(call, { ...context.ports, journal: readsOnly });
  const now = context.ports.now();
  const waited = (now.getTime() - new Date(record.startedAt).getTime()) / 1000;
  const timeout = input.timeout_seconds ?? timeoutSecondsDefault;
  if (end.status !== "succeeded") {
    const problem = toProblem(end.failed.failure, context.run.id, now);
    return problem.retry === "later" && waited < timeout
      ? waitAgain(context, record, waited, problem.detail)
      : failed(problem);
  }
  const seen = end.output as DeploymentRecord;
  if (isFinal(seen.state)) {
    return { kind: "done", record: finished(context, record, { status: "succeeded", output: seen }) };
  }
  if (waited >= timeout) {
    return failed(
      stepProblem("timed_out", `The deployment ${seen.deployment_id} is still ${seen.state} after ${timeout} s.`),
    );
  }
  return waitAgain(context, record, waited, `The deployment ${seen.deployment_id} is ${seen.state}.`);
}

function waitAgain(context: RunContext, record: StepRecord, waited: number, detail: string): StepDone {
  const seconds = Math.min(pauseSecondsMax, pauseSecondsMin + waited / 20);
  const runAt = new Date(context.ports.now().getTime() + seconds * 1000);
  return {
    kind: "waits",
    record: { ...record, status: "waiting", tries: record.tries + 1 },
    waitingFor: { kind: "deployment", step: record.name, detail, until: runAt.toISOString() },
    runAt,
  };
}
