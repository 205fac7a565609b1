import { mark } from "../kernel/loop-watch.ts";
import { type Answer, type Done, type Pause, StepFailed, type StepRequest } from "../systems/work.ts";
import { showBodies } from "./attempts.ts";
import { type Gathered, type StepCall, type StepPorts, workOf } from "./ports.ts";
import { FoundDone, sendAsked } from "./send-asked.ts";

export type StepEnd =
  | ({ status: "succeeded"; output: unknown; warnings: string[] } & Gathered)
  | ({ status: "failed" | "outcome_unknown"; failed: StepFailed } & Gathered);

/**
 * Runs a step's work: each request it asks for goes through `sendAsked` and its answer back into the work; what failed in
 * spite of everything is thrown into it, and it may know another way.
 */
export async function runStep(call: StepCall, ports: StepPorts): Promise<StepEnd> {
  const gathered: Gathered = { attempts: [], written: [] };
  try {
    const { output, warnings = [] } = await drive(call, ports, gathered);
    if (gathered.attempts.length > 1) showBodies(gathered.attempts);
    return { status: "succeeded", output, warnings: [...warnings, ...(gathered.notes ?? [])], ...gathered };
  } catch (error) {
    if (error instanceof FoundDone) return { status: "succeeded", warnings: [], ...error.done, ...gathered };
    if (!(error instanceof StepFailed)) throw error;
    showBodies(gathered.attempts);
    const status = error.failure.code === "outcome_unknown" ? "outcome_unknown" : "failed";
    return { status, failed: error, ...gathered };
  }
}

async function drive(call: StepCall, ports: StepPorts, gathered: Gathered): Promise<Done<unknown>> {
  const steps = call.step.work(call.input, call.context);
  const sentBefore = call.written ?? [];
  const work = workOf(call);
  let next = steps.next();
  let progressed = 0;
  while (!next.done) {
    const asked = next.value;
    if (gathered.written.length > Math.max(progressed, sentBefore.length)) {
      progressed = gathered.written.length;
      await ports.journal.progress?.(gathered.written, gathered.attempts);
    }
    const isWrite = !("pauseSeconds" in asked) && asked.effect !== "read";
    const before = isWrite ? sentBefore[gathered.written.length] : undefined;
    const answer = before ?? (await answerTo(asked, call, ports, gathered));
    if (isWrite && !(answer instanceof StepFailed)) gathered.written.push(answer);
    mark("a step", work);
    next = answer instanceof StepFailed ? steps.throw(answer) : steps.next(answer);
  }
  return next.value as Done<unknown>;
}

async function answerTo(
  asked: StepRequest | Pause,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer | StepFailed> {
  try {
    if ("pauseSeconds" in asked) {
      gathered.lookedAt = Number.NEGATIVE_INFINITY;
      return await stay(asked, call, ports);
    }
    return await sendAsked(asked, call, ports, gathered);
  } catch (error) {
    if (error instanceof StepFailed) return error;
    throw error;
  }
}

const nothing: Answer = { status: 0, headers: {}, body: null, bytes: 0 };

async function stay({ pauseSeconds, why }: Pause, call: StepCall, ports: StepPorts): Promise<Answer> {
  const left = call.stayUntil.getTime() - ports.now().getTime();
  if (pauseSeconds * 1000 > left) {
    const detail = `The time for this call is over while waiting for ${why}.`;
    throw new StepFailed({ code: "timed_out", detail, cure: "give up", done: "no" }, null);
  }
  await ports.sleep(pauseSeconds * 1000);
  return nothing;
}
