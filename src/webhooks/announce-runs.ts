import type { RunEnd } from "../runs/queue/queue.ts";
import type { Run } from "../runs/record/run-record.ts";
import type { Db } from "../store/db.ts";
import { announce } from "./announce.ts";
import type { EventType } from "./event-types.ts";

/** The part of a run that is announced. */
export type AnnouncedRun = Pick<Run, "id" | "organizationId" | "projectId" | "work">;

/** A run that waits for a time resumes by itself, so there is no event for it. */
function eventOf({ status, waitingFor }: Pick<RunEnd, "status" | "waitingFor">): EventType | null {
  if (status === "waiting") return waitingFor?.kind === "approval" ? "run.waiting" : null;
  return status === "queued" || status === "running" ? null : `run.${status}`;
}

/**
 * Runs in the transaction in which a run ends, or begins to wait for a person. Returns how many deliveries it queued.
 */
export async function announceRun(
  db: Db,
  run: AnnouncedRun,
  end: Pick<RunEnd, "status" | "problem" | "waitingFor">,
  now: Date,
): Promise<number> {
  const type = eventOf(end);
  if (type === null) return 0;
  const { organizationId, projectId } = run;
  const data = {
    run_id: run.id,
    tool_id: run.work.kind === "tool" ? run.work.id : null,
    status: end.status,
    problem: end.problem?.code ?? null,
    waiting_for: end.waitingFor === null ? null : { kind: end.waitingFor.kind, step: end.waitingFor.step ?? null },
  };
  return announce(db, { organizationId, projectId, type, data, now });
}
