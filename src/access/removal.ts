import { withdrawInvites } from "./invites.ts";
import { endMembership } from "./members.ts";
import { projectOf, type Scope } from "./scope.ts";

/** A person leaves a project: their access ends, and what they offered others there and nobody took up goes with it. */
export async function removeFromProject(scope: Scope, userId: string): Promise<{ invitesWithdrawn: number }> {
  await endMembership(scope, userId);
  return { invitesWithdrawn: await withdrawInvites(scope, userId, projectOf(scope)) };
}
