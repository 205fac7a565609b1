import { revokeAllKeysOf } from "../callers/keys.ts";
import { deactivate, deactivationDetails } from "../deactivation.ts";
import { markRemoved, requireAccountById } from "../users.ts";
import type { DirectoryChange } from "./directory-change.ts";
import { bumpGroupRevisions } from "./groups.ts";
import { deleteMembershipsOf } from "./memberships.store.ts";
import type { DirectoryPerson } from "./people.ts";
import { deletePersonRecord } from "./people.ts";

/**
 * Deletes a person for their directory: deactivates the account, revokes keys for good and ends memberships. A record
 * stays, by which the same userName and externalId find the account again. Being the last admin of a project does not
 * prevent it.
 */
export async function removePerson(change: DirectoryChange, person: DirectoryPerson): Promise<void> {
  const { scope } = change;
  const at = scope.now().toISOString();
  const done = await deactivate(scope, await requireAccountById(scope.db, person.userId));
  const keysRevoked = await revokeAllKeysOf(scope.db, person.userId, at);
  // Announced while the person is still a member of their projects, so that their webhooks receive it.
  await change.audit({
    action: "user.deleted",
    target: person.userId,
    details: { ...deactivationDetails(done), keys_revoked: keysRevoked },
  });
  await bumpGroupRevisions(scope.db, person.userId, at);
  await deleteMembershipsOf(scope.db, person.userId);
  await deletePersonRecord(scope.db, person, at);
  await markRemoved(scope.db, person.userId, at);
}
