import { findProject } from "../access/projects.ts";
import type { Scope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { findHold, insertHold, type LegalHold, listHeld, listHoldRows, updateReleased } from "./legal-holds.store.ts";

export type { LegalHold } from "./legal-holds.store.ts";

/** Takes effect at once: the pruner checks for holds in each transaction that deletes, under the organization's lock. */
export async function createHold(
  scope: Scope,
  { projectId, reason }: { projectId: string | null; reason: string },
): Promise<LegalHold> {
  const { organizationId, userId } = scope.actor;
  if (projectId !== null && (await findProject(scope.db, projectId))?.organizationId !== organizationId)
    throw new Problem("project_not_found");
  const hold: LegalHold = {
    id: newId("hold", scope.region),
    organizationId,
    projectId,
    reason,
    createdBy: userId,
    createdAt: scope.now().toISOString(),
    releasedBy: null,
    releasedAt: null,
    releaseReason: null,
  };
  await insertHold(scope.db, hold);
  return hold;
}

export async function releaseHold(scope: Scope, id: string, reason: string): Promise<LegalHold> {
  const found = await findHold(scope.db, scope.actor.organizationId, id);
  if (!found) throw new Problem("hold_not_found");
  const released = { by: scope.actor.userId, at: scope.now().toISOString(), reason };
  const hold = await updateReleased(scope.db, id, released);
  if (!hold) throw new Problem("hold_released");
  return hold;
}

export const listHolds = (
  scope: Scope,
  onlyOpen: boolean,
  page: { after: string; limit: number },
): Promise<LegalHold[]> => listHoldRows(scope.db, scope.actor.organizationId, onlyOpen, page);

/** What of an organization may not be deleted now. */
export interface Held {
  everything: boolean;
  projects: ReadonlySet<string>;
}

export async function readHeld(db: Db, organizationId: string): Promise<Held> {
  const held = await listHeld(db, organizationId);
  return { everything: held.includes(null), projects: new Set(held.filter((each) => each !== null)) };
}
