import { seesProject, wrongScope } from "../accounts/caller.ts";
import { notFound } from "../http/api-error.ts";
import type { ApiRequest } from "../http/api-request.ts";
import type { Deployment } from "../records.ts";
import { findMembership, requireOwner } from "../world.ts";
import { findByHost } from "./aliases.ts";

/** By id or by address, of any owner. Deleted ones are gone for everything but the list. */
export function findDeployment({ world }: ApiRequest, idOrUrl: string): Deployment | null {
  const host = idOrUrl.replace(/^https?:\/\//, "").replace(/\/$/, "");
  const found = world.deployments.find(idOrUrl) ?? findByHost(world, host);
  return found && found.deletedAt === null ? found : null;
}

/** The deployment in the scope of the call. A member who forgot the team is told so; a stranger sees nothing. */
export function requireDeployment(request: ApiRequest, idOrUrl: string): Deployment {
  const { world, caller, owner } = request;
  const found = findDeployment(request, idOrUrl);
  if (!found) throw notFound("Deployment");
  if (found.ownerId !== owner.id) {
    if (found.ownerId === caller.user.id || findMembership(world, found.ownerId, caller.user.id)) {
      throw wrongScope(requireOwner(world, found.ownerId));
    }
    throw notFound("Deployment");
  }
  if (!seesProject(caller, found.projectId)) throw notFound("Deployment");
  return found;
}
