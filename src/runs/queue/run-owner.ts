import { type AccessLoss, findAccessLoss } from "../../access/callers/still-allowed.ts";
import type { Db } from "../../store/db.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";

/** The person who started a run, and on whose behalf it acts. */
export interface RunOwner {
  startedBy: string;
  projectId: string;
}

/** "Editor also runs … steps, tools, agents": runs of an owner below that role stop. */
export const findOwnerLoss = (db: Db, { startedBy, projectId }: RunOwner): Promise<AccessLoss | null> =>
  findAccessLoss(db, startedBy, projectId, "editor");

export const ownerProblems: Readonly<Record<AccessLoss, StepProblem>> = {
  deactivated: stepProblem("owner_deactivated", "The person who started this was deactivated."),
  "not allowed": stepProblem(
    "owner_not_allowed",
    "The person who started this may no longer run anything in this project.",
  ),
};
