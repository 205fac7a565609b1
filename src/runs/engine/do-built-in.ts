import { stepProblem } from "../../systems/problems.ts";
import { type BuiltInStep, builtInSteps } from "../../tools/built-in-steps.ts";
import type { ToolStep } from "../../tools/definition.ts";
import type { StepRecord } from "../journal/journal.ts";
import { doApprove } from "./do-approve.ts";
import type { RunContext } from "./ports.ts";
import { finished, type StepDone } from "./step-done.ts";
import { waitForDeployment } from "./wait-for-deployment.ts";

/** "They are words of tools, not steps": these wait or ask a person, and call no system. */
export async function doBuiltIn(
  context: RunContext,
  step: ToolStep,
  word: BuiltInStep,
  record: StepRecord,
): Promise<StepDone> {
  const parsed = builtInSteps[word].input.safeParse(record.input);
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => `${path.map(String).join("/")}: ${message}`);
    const problem = stepProblem("invalid_input", `${record.name}/input ${said.join(" ")}`);
    return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
  }
  switch (word) {
    case "wait":
      return wait(context, record, parsed.data as { seconds?: number; until?: string });
    case "wait_for_deployment":
      return waitForDeployment(
        context,
        step,
        record,
        parsed.data as { deployment_id: string; timeout_seconds?: number },
      );
    case "approve":
      return doApprove(context, record, (parsed.data as { message: string }).message);
  }
}

function wait(
  context: RunContext,
  record: StepRecord,
  { seconds = 0, until: given }: { seconds?: number; until?: string },
): StepDone {
  const until = new Date(given ?? new Date(record.startedAt).getTime() + seconds * 1000);
  const output = { until: until.toISOString() };
  if (context.ports.now() >= until) {
    return { kind: "done", record: finished(context, record, { status: "succeeded", output }) };
  }
  return {
    kind: "waits",
    record: { ...record, status: "waiting", output },
    waitingFor: { kind: "time", step: record.name, detail: "Waits for a time.", until: output.until },
    runAt: until,
  };
}
