import { newId, regionOfId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { type AuditHead, startChain } from "./audit/audit.ts";
import { refuseOtherRegion } from "./callers/wrong-region.ts";
import {
  findOrganization,
  insertOrganization,
  type KeysOnReactivation,
  type Organization,
  type ProjectCreation,
  type SecondFactor,
  updateOrganizationRow,
} from "./organizations.store.ts";
import type { AnyScope, Scope } from "./scope.ts";

export type { KeysOnReactivation, Organization, ProjectCreation, SecondFactor } from "./organizations.store.ts";
export { findOrganization, listOrganizationIds } from "./organizations.store.ts";

/** Creates an organization and starts its audit chain. */
export async function createOrganization(
  scope: AnyScope,
  name: string,
): Promise<{ organization: Organization; head: AuditHead }> {
  const organization: Organization = {
    id: newId("organization", scope.region),
    name,
    projectCreation: "members",
    keysOnReactivation: "stay_off",
    secondFactor: "optional",
    createdAt: scope.now().toISOString(),
  };
  await insertOrganization(scope.db, organization);
  return { organization, head: await startChain(scope.db, organization.id) };
}

/** Returns the caller's own organization. Any other looks absent, whether it exists or not. */
export async function requireOrganization(
  scope: Scope,
  id: string = scope.actor.organizationId,
): Promise<Organization> {
  refuseOtherRegion(scope.region, regionOfId(id));
  const organization = id === scope.actor.organizationId ? await findOrganization(scope.db, id) : null;
  if (!organization) throw new Problem("organization_not_found");
  return organization;
}

export interface OrganizationChange {
  name?: string | undefined;
  projectCreation?: ProjectCreation | undefined;
  keysOnReactivation?: KeysOnReactivation | undefined;
  secondFactor?: SecondFactor | undefined;
}

export async function updateOrganization(
  scope: Scope,
  id: string | undefined,
  change: OrganizationChange,
): Promise<Organization> {
  const before = await requireOrganization(scope, id);
  const after: Organization = {
    ...before,
    name: change.name ?? before.name,
    projectCreation: change.projectCreation ?? before.projectCreation,
    keysOnReactivation: change.keysOnReactivation ?? before.keysOnReactivation,
    secondFactor: change.secondFactor ?? before.secondFactor,
  };
  await updateOrganizationRow(scope.db, after);
  return after;
}
