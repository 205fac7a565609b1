import { mark } from "../kernel/loop-watch.ts";
import { isTracing, type Span, startChild, withinSpan } from "../kernel/tracing.ts";
import { asFailure, drive, emptyAnswer } from "../systems/drive.ts";
import { type Answer, type Pause, StepFailed, type StepRequest } from "../systems/work.ts";
import { FoundDone } from "./lost-tries.ts";
import { type Gathered, type StepCall, type StepPorts, workOf } from "./ports.ts";
import { showBodies } from "./record-attempts.ts";
import { sendRequest } from "./send-with-retries.ts";

export type StepEnd =
  | ({ status: "succeeded"; output: unknown; warnings: string[] } & Gathered)
  | ({ status: "failed" | "outcome_unknown"; failed: StepFailed } & Gathered);

/**
 * Runs a step's generator and sends each request that it yields. A request that failed for good is thrown into the
 * generator, which may continue.
 */
export function runStep(call: StepCall, ports: StepPorts): Promise<StepEnd> {
  const span = isTracing() ? spanOf(call) : null;
  return span === null ? runMeasured(call, ports, null) : withinSpan(span, () => runMeasured(call, ports, span));
}

function spanOf({ step, connection, runId }: StepCall): Span | null {
  const span = startChild(`step ${step.id}`, "internal");
  span?.set({
    "signalbox.step_id": step.id,
    "signalbox.system": step.system.id,
    "signalbox.run_id": runId,
    "signalbox.connection_id": connection.id,
  });
  return span;
}

async function runMeasured(call: StepCall, ports: StepPorts, span: Span | null): Promise<StepEnd> {
  const startedAt = performance.now();
  const gathered: Gathered = { attempts: [], written: [] };
  let problem: string | undefined = "internal";
  try {
    refuseSpent(call, ports);
    const work = call.step.work(call.input, call.context);
    const { output, warnings = [] } = await drive(work, senderFor(call, ports, gathered));
    if (gathered.attempts.length > 1) showBodies(gathered.attempts);
    problem = undefined;
    return { status: "succeeded", output, warnings: [...warnings, ...notesIn(gathered)], ...gathered };
  } catch (error) {
    if (error instanceof FoundDone) {
      problem = undefined;
      return { status: "succeeded", warnings: [], ...error.done, ...gathered };
    }
    if (!(error instanceof StepFailed)) throw error;
    problem = error.failure.code;
    showBodies(gathered.attempts);
    return { status: problem === "outcome_unknown" ? problem : "failed", failed: error, ...gathered };
  } finally {
    ports.meter?.step(call.step.system.id, problem ?? "succeeded", (performance.now() - startedAt) / 1000);
    span?.end(problem);
  }
}

/** Nothing was sent. A probe goes on: it tells what has happened. */
function refuseSpent({ connection: { organizationId }, isProbe }: StepCall, { answerTime }: StepPorts): void {
  if (isProbe || !answerTime || answerTime.hasLeft(organizationId)) return;
  const waitSeconds = Math.max(1, Math.ceil(answerTime.secondsUntilLeft(organizationId)));
  const detail = "Large responses of systems have used up this organization's computing time.";
  throw new StepFailed({ code: "compute_exhausted", detail, cure: "give up", done: "no", waitSeconds }, null);
}

const notesIn = ({ notes = [], near }: Gathered): string[] => (near === undefined ? notes : [...notes, near]);

/** Sends what the step yields. Answers to writes that an earlier attempt has sent are returned again instead. */
function senderFor(call: StepCall, ports: StepPorts, gathered: Gathered) {
  const sentBefore = call.written ?? [];
  const work = workOf(call);
  let progressed = 0;
  return async (yielded: StepRequest | Pause): Promise<Answer | StepFailed> => {
    if (gathered.written.length > Math.max(progressed, sentBefore.length)) {
      progressed = gathered.written.length;
      await ports.journal.progress?.(gathered.written, gathered.attempts);
    }
    const isWrite = !("pauseSeconds" in yielded) && yielded.effect !== "read";
    const before = isWrite ? sentBefore[gathered.written.length] : undefined;
    const answer = before ?? (await answerTo(yielded, call, ports, gathered));
    if (isWrite && !(answer instanceof StepFailed)) gathered.written.push(answer);
    mark("a step", work);
    return answer;
  };
}

function answerTo(
  yielded: StepRequest | Pause,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer | StepFailed> {
  if (!("pauseSeconds" in yielded)) return sendRequest(yielded, call, ports, gathered).catch(asFailure);
  gathered.checkedAt = Number.NEGATIVE_INFINITY;
  return pause(yielded, call, ports);
}

async function pause({ pauseSeconds, why }: Pause, call: StepCall, ports: StepPorts): Promise<Answer | StepFailed> {
  const left = call.stayUntil.getTime() - ports.now().getTime();
  if (pauseSeconds * 1000 > left) {
    const detail = `The time for this call ran out while it waited for ${why}.`;
    return new StepFailed({ code: "timed_out", detail, cure: "give up", done: "no" }, null);
  }
  await ports.sleep(pauseSeconds * 1000);
  return emptyAnswer;
}
