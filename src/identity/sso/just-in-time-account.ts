import type { Email } from "../../access/email.ts";
import type { Invite } from "../../access/invites.ts";
import { addMember } from "../../access/project-members.ts";
import type { AnyScope } from "../../access/scope.ts";
import { createAccount, insertUser, isRemovedAddress, type User } from "../../access/users.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Proof } from "./proof.ts";
import type { Provider } from "./providers.ts";

/**
 * Creates an account at the first sign-in. Without just-in-time membership, it requires an open invite. Invites belong
 * to the owner of the address, so only a verified address accepts them.
 */
export async function createAccountOnSignIn(
  scope: AnyScope,
  provider: Provider,
  proof: Proof,
  isVerified: boolean,
): Promise<{ user: User; accepted: Invite[] }> {
  const { email } = proof;
  const { organizationId, justInTime } = provider;
  if (!email) throw new Problem("sso_no_account", withoutAddress);
  if (!justInTime && !isVerified) throw new Problem("sso_no_account");
  if (await isRemovedAddress(scope.db, organizationId, email)) throw new Problem("account_removed");
  const wanted = { organizationId, email, organizationRole: "member", name: proof.name, emailVerified: true } as const;
  const made = isVerified
    ? await createAccount(scope, wanted)
    : { user: await createUnverifiedAccount(scope, organizationId, email, proof.name), accepted: [] };
  // The problem rolls the account back.
  if (!justInTime && made.accepted.length === 0) throw new Problem("sso_no_account");
  const { defaultProjectId, defaultPermissions } = provider;
  if (justInTime && defaultProjectId !== null && defaultPermissions !== null) {
    await addMember(scope, defaultProjectId, made.user.id, defaultPermissions);
  }
  return made;
}

/** Entra ID sends no address by default, and other names of a person are not unique. */
const withoutAddress =
  "The identity provider did not send your e-mail address, and no account is linked to you yet. Its administrator can make it send the claim email (Entra ID: Token configuration, Add optional claim, ID, email), or make the directory send the object id as externalId.";

async function createUnverifiedAccount(
  scope: AnyScope,
  organizationId: string,
  email: Email,
  name: string,
): Promise<User> {
  const user: User = {
    id: newId("user", scope.region),
    organizationId,
    email: email.typed,
    emailKey: email.key,
    organizationRole: "member",
    active: true,
    kind: "person",
    name,
    emailVerifiedAt: null,
    createdAt: scope.now().toISOString(),
    deactivatedAt: null,
  };
  await insertUser(scope.db, user);
  return user;
}
