import { notAllowed, seesProject } from "../accounts/caller.ts";
import { notFound, refuseByName } from "../http/api-error.ts";
import type { ApiRequest } from "../http/api-request.ts";
import type { Project } from "../records.ts";
import { findProjectByName } from "../world.ts";

/** By id or name, in the scope of the call; what another scope owns does not exist. */
export function requireProject({ world, owner, caller }: ApiRequest, idOrName: string): Project {
  refuseByName(idOrName, world.clock.now());
  const byId = world.projects.find(idOrName);
  const project = byId?.ownerId === owner.id ? byId : findProjectByName(world, owner.id, idOrName);
  // A token for projects is denied the others; to an installation they are not there.
  if (caller.token.projects && !(project && seesProject(caller, project.id))) throw notAllowed();
  if (!project || !seesProject(caller, project.id)) throw notFound("Project");
  refuseByName(project.name, world.clock.now());
  return project;
}
