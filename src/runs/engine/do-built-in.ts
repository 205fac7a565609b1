import type * as z from "zod";
import { isoTime } from "../../kernel/times.ts";
import { findWait } from "../../systems/index.ts";
import { stepProblem } from "../../systems/step-problems.ts";
import { builtInSteps } from "../../tools/built-in-steps.ts";
import type { ToolStep } from "../../tools/definition.ts";
import type { StepRecord } from "../journal/journal.ts";
import type { RunContext } from "../outcome/ports.ts";
import { finished, type StepDone } from "../outcome/step-result.ts";
import { doApprove } from "./do-approve.ts";
import { waitForSystem } from "./wait-for-system.ts";

/** "They are words of tools, not steps": these wait or ask a person, and change nothing at a system. */
export async function doBuiltIn(context: RunContext, step: ToolStep, begun: StepRecord): Promise<StepDone> {
  const record = step.step === "approve" ? begun : withoutFuture(begun, context.ports.now());
  const word = step.step;
  const parsed = requireBuiltIn(word).input.safeParse(record.input);
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => `${path.map(String).join("/")}: ${message}`);
    const problem = stepProblem("invalid_input", `${record.name}/input ${said.join(" ")}`);
    return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
  }
  if (word === "wait") return wait(context, record, parsed.data as { seconds?: number; until?: string });
  if (word === "approve") return doApprove(context, record, (parsed.data as { message: string }).message);
  const known = findWait(word);
  if (!known) throw new Error(`Nothing is known of the built-in step ${word}.`);
  return waitForSystem(context, step, known, record, parsed.data as { timeout_seconds?: number });
}

/** A clock that was ahead when the step began would make it wait for as long as that. The requests that an approval binds have its time. */
const withoutFuture = (record: StepRecord, now: Date): StepRecord =>
  Date.parse(record.startedAt) > now.getTime() ? { ...record, startedAt: isoTime(now) } : record;

function requireBuiltIn(word: string): { input: z.ZodType } {
  const found = builtInSteps[word];
  if (!found) throw new Error(`There is no built-in step ${word}.`);
  return found;
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
