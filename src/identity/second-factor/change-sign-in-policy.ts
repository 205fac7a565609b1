import { requireConfirmed } from "../../access/callers/sessions.ts";
import {
  type Organization,
  type OrganizationChange,
  requireOrganization,
  updateOrganization,
} from "../../access/organizations.ts";
import type { Scope } from "../../access/scope.ts";
import { applySecondFactor } from "./factors.ts";

/**
 * Changes an organization. A change of how people sign in needs a confirmed caller, unlike that of a name. A changed
 * requirement of a second factor applies to open sessions, too.
 */
export async function changeOrganization(
  scope: Scope,
  id: string | undefined,
  change: OrganizationChange,
): Promise<Organization> {
  if (change.secondFactor !== undefined || change.keysOnReactivation !== undefined) {
    requireConfirmed(scope.actor, scope.now());
  }
  const before = await requireOrganization(scope, id);
  const changed = await updateOrganization(scope, id, change);
  if (changed.secondFactor !== before.secondFactor) await applySecondFactor(scope.db, changed, scope.now());
  return changed;
}
