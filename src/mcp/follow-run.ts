import type { Caller } from "./caller.ts";
import { hasEnded, type RunResponse } from "./tool-results.ts";

/** How a caller watches a run. */
export interface RunWatch {
  wantsProgress: boolean;
  /** Tells the client how far the run is. */
  progress(done: number, total: number, message: string): Promise<void>;
  /** Aborted when the client gives the call up; null where only its connection may have ended. */
  cancelled: AbortSignal | null;
}

interface FollowedRun extends RunResponse {
  steps: { name: string; status: string }[];
}

const pollMillisecondsMin = 200;
const pollMillisecondsMax = 2_000;
/** Assistants wait no longer; the run continues, and its address is in the result. */
const followSecondsMax = 15 * 60;

/** What the person was asked already, until they have closed the question. */
export interface Asked {
  step: string;
  dismissed: AbortSignal;
}

/** Reads the run until it ends or asks a person. Each read is checked like any call: who loses access sees no more. */
export async function followRun(
  caller: Caller,
  runId: string,
  watch: RunWatch,
  asked: Asked | null = null,
): Promise<RunResponse> {
  const until = performance.now() + followSecondsMax * 1000;
  let reported = "";
  let isCancelling = false;
  let pause = pollMillisecondsMin;
  for (;;) {
    if (watch.cancelled?.aborted && !isCancelling) {
      isCancelling = true;
      await caller.call("runs/{run_id}/cancel", { run_id: runId });
    }
    const run = JSON.parse(await caller.call("runs/{run_id}/get", { run_id: runId })) as FollowedRun;
    const asksPerson = run.waiting_for?.kind === "approval" || run.waiting_for?.kind === "person";
    const isAsked = asked !== null && run.waiting_for?.step === asked.step && !asked.dismissed.aborted;
    if (hasEnded(run) || (asksPerson && !isAsked) || performance.now() > until) return run;
    const state = stateOf(run);
    if (watch.wantsProgress && state.message !== reported) {
      await watch.progress(state.done, state.total, state.message);
      reported = state.message;
      pause = pollMillisecondsMin;
    }
    await rest(pause, watch.cancelled);
    pause = Math.min(pause * 1.5, pollMillisecondsMax);
  }
}

function stateOf({ steps, status, waiting_for: waitingFor }: FollowedRun) {
  const done = steps.filter(({ status: of }) => of !== "running" && of !== "waiting").length;
  const current = steps.find(({ status: of }) => of === "running" || of === "waiting")?.name;
  const message = waitingFor?.detail ?? (current ? `${done} of ${steps.length} steps: ${current}` : status);
  return { done, total: Math.max(steps.length, 1), message };
}

/** Ends early when the client gives up. */
const rest = (milliseconds: number, signal: AbortSignal | null): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
  });
