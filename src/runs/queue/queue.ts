import { Problem } from "../../kernel/problem.ts";
import { LeaseLost } from "../../steps/fence.ts";
import type { Db } from "../../store/db.ts";
import {
  type Claim,
  cancelledOnes,
  claimDue,
  endRun,
  findToolRun,
  insertToolRun as insertRow,
  nextDue,
  putDown,
  type RunEnd,
  releaseExpired,
  renewLeases,
  type ToolRun,
} from "./queue.store.ts";

export type { Claim, RunEnd, RunSource, ToolRun, WaitingFor } from "./queue.store.ts";

export const insertToolRun = insertRow;
export const claimDueRuns = claimDue;
export const listCancelled = cancelledOnes;
export const giveBackExpired = releaseExpired;
export const renewRuns = renewLeases;
export const whenNextDue = nextDue;
export const putRunDown = putDown;

export { LeaseLost } from "../../steps/fence.ts";

export async function leaveRun(db: Db, claim: Claim, end: RunEnd): Promise<void> {
  if (!(await endRun(db, claim, end))) throw new LeaseLost(claim.runId);
}

export async function requireToolRun(db: Db, projectId: string, runId: string): Promise<ToolRun> {
  const run = await findToolRun(db, projectId, runId);
  if (!run) throw new Problem("run_not_found");
  return run;
}
