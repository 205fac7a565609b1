import type { Scope } from "../../access/scope.ts";
import { type Run, showRun } from "../../runs/runs.ts";

interface Standing {
  status: string;
  waitingFor: unknown;
}

/** What passes without anybody's help. A person is not waited for: whoever called may be the one who is asked. */
const passing = new Set(["limit", "time", "deployment", "retry"]);
const lookMilliseconds = 100;

/** Whether the run waits for something that is over, as far as anybody can tell, before the caller goes. */
export const passesBefore = (until: number, run: Standing, now: Date): boolean =>
  pauseOf(run, now) < until - performance.now();

/**
 * Waits for the end of a run that was put aside for a moment. It is asked for now and then, because another process may
 * be the one that takes it up again.
 */
export async function followRun({ db, now }: Scope, { projectId, id }: Run, until: number): Promise<void> {
  let run: Standing = await showRun(db, projectId, id);
  while (passesBefore(until, run, now())) {
    const pause = Math.max(lookMilliseconds, pauseOf(run, now()));
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, until - performance.now())));
    run = await showRun(db, projectId, id);
  }
}

/** Milliseconds until it is worth looking again; never, where it has ended or waits for somebody. */
function pauseOf({ status, waitingFor }: Standing, now: Date): number {
  if (status === "queued" || status === "running") return 0;
  const { kind = "", until } = (waitingFor ?? {}) as { kind?: string; until?: string };
  if (status !== "waiting" || !passing.has(kind) || until === undefined) return Number.POSITIVE_INFINITY;
  return new Date(until).getTime() - now.getTime();
}
