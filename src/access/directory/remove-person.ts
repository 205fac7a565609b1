import { revokeKeysOf } from "../callers/keys.ts";
import { deactivate, deactivationDetails } from "../deactivation.ts";
import { removeAccount, requireAccountById } from "../users.ts";
import type { DirectoryChange } from "./change.ts";
import { markGroupsOf } from "./groups.ts";
import { leaveEverything } from "./memberships.ts";
import type { DirectoryPerson } from "./people.ts";
import { forgetPerson } from "./people.ts";

/**
 * The directory deletes a person: what a deactivation ends has ended, keys are revoked for good and memberships gone. What
 * stays is a trace by which the same user name and external id find the same account again. Never held up by being the last admin.
 */
export async function removePerson(change: DirectoryChange, person: DirectoryPerson): Promise<void> {
  const { scope } = change;
  const at = scope.now().toISOString();
  const done = await deactivate(scope, await requireAccountById(scope.db, person.userId));
  const keysRevoked = await revokeKeysOf(scope.db, person.userId, at);
  // Told while the person still is in their projects, so that those who watch these hear of it.
  await change.note({
    action: "user.deleted",
    target: person.userId,
    details: { ...deactivationDetails(done), keys_revoked: keysRevoked },
  });
  await markGroupsOf(scope.db, person.userId, at);
  await leaveEverything(scope.db, person.userId);
  await forgetPerson(scope.db, person, at);
  await removeAccount(scope.db, person.userId, at);
}
