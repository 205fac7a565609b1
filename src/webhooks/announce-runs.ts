import type { RunEnd } from "../runs/queue/queue.ts";
import type { Run } from "../runs/run.ts";
import type { Db } from "../store/db.ts";
import { announce } from "./announce.ts";
import type { EventType } from "./event-types.ts";

/** What of a run is told. */
export type ToldRun = Pick<Run, "id" | "organizationId" | "projectId" | "work">;

/** A run that merely waits for a time comes back by itself; nobody needs to hear of that. */
function eventOf({ status, waitingFor }: Pick<RunEnd, "status" | "waitingFor">): EventType | null {
  if (status === "waiting") return waitingFor?.kind === "approval" ? "run.waiting" : null;
  return status === "queued" || status === "running" ? null : `run.${status}`;
}

/** In the transaction in which a run ends, or begins to wait for a person. Answers how many addresses will be told. */
export async function announceRun(
  db: Db,
  run: ToldRun,
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
