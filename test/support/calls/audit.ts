import { appendAudit, lockChain } from "../../../src/access/audit/audit.ts";
import { operatorScope } from "../../../src/access/operator.ts";
import type { Team } from "../team.ts";

/** Adds rows to those of the team's own calls, in one transaction. */
export const appendRows = ({ store, now, owner, projectId }: Team, count: number, target = "x") =>
  store.transaction(async (db) => {
    let head = await lockChain(db, owner.organizationId);
    for (let i = 0; i < count; i++) {
      head = await appendAudit(operatorScope(db, "us", now), head, { action: "test.row", target, projectId });
    }
  });

/** One change of the owner: one row. */
export const renameProject = (team: Team, name: string) =>
  team.call("projects/update", { name }, team.inProject(team.owner));
