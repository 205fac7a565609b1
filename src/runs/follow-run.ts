import type { Scope } from "../access/scope.ts";
import { waitKinds } from "../systems/index.ts";
import { type Run, requireRunState } from "./runs.ts";

interface RunState {
  status: string;
  waitingFor: unknown;
}

/** Waits that end by themselves. A caller does not wait for a person: it may be the one who is asked. */
const passing = new Set<string>(["limit", "time", ...waitKinds, "retry"]);
const pollMilliseconds = 100;

/** Whether the wait of the run should end before the caller stops waiting. */
export const passesBefore = (until: number, run: RunState, now: Date): boolean =>
  pauseOf(run, now) < until - performance.now();

/** Waits for the end of a run that waits itself. It polls the store, because another node may continue the run. */
export async function followRun({ db, now }: Scope, { projectId, id }: Run, until: number): Promise<void> {
  let run: RunState = await requireRunState(db, projectId, id);
  while (passesBefore(until, run, now())) {
    const pause = Math.max(pollMilliseconds, pauseOf(run, now()));
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, until - performance.now())));
    run = await requireRunState(db, projectId, id);
  }
}

/** Milliseconds until the next poll; never, where the run has ended or waits for a person. */
function pauseOf({ status, waitingFor }: RunState, now: Date): number {
  if (status === "queued" || status === "running") return 0;
  const { kind = "", until } = (waitingFor ?? {}) as { kind?: string; until?: string };
  if (status !== "waiting" || !passing.has(kind) || until === undefined) return Number.POSITIVE_INFINITY;
  return new Date(until).getTime() - now.getTime();
}

/** Waits for a run no longer than this; null means that the time is over. */
export function within<T>(seconds: number, awaited: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    // A timer that outlives its call would stay in memory: thousands a second, for a minute each.
    const timer = setTimeout(resolve, seconds * 1000, null);
    awaited.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
