import { withdrawInvites } from "./invites.ts";
import { endMembership } from "./project-members.ts";
import { projectOf, type Scope } from "./scope.ts";

/** Removes a person from a project and withdraws their pending invites there. */
export async function removeFromProject(scope: Scope, userId: string): Promise<{ invitesWithdrawn: number }> {
  await endMembership(scope, userId);
  return { invitesWithdrawn: await withdrawInvites(scope.db, userId, projectOf(scope)) };
}
