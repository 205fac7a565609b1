import { type NoLonger, whyNoLonger } from "../../access/callers/still-allowed.ts";
import type { Db } from "../../store/db.ts";
import { type StepProblem, stepProblem } from "../../systems/problems.ts";

/** Whoever started a run; what it does is done on their behalf, to the end. */
export interface RunOwner {
  startedBy: string;
  projectId: string;
}

/** "Editor also runs … steps, tools, agents": whoever is less than that now has no run that goes on. */
export const whyOwnerMayNot = (db: Db, { startedBy, projectId }: RunOwner): Promise<NoLonger | null> =>
  whyNoLonger(db, startedBy, projectId, "editor");

export const ownerProblems: Readonly<Record<NoLonger, StepProblem>> = {
  deactivated: stepProblem("owner_deactivated", "The person who started this was deactivated."),
  "not allowed": stepProblem(
    "owner_not_allowed",
    "The person who started this may no longer run anything in this project.",
  ),
};
