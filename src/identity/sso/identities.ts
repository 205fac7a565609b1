import type { Invite } from "../../access/invites.ts";
import type { AnyScope, Scope } from "../../access/scope.ts";
import { findUser, findUserByEmail, isRemoved, type User } from "../../access/users.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { type Domain, domainOf, findVerifiedDomain } from "./domains.ts";
import {
  deleteIdentityRow,
  findBySubject,
  findIdentityRow,
  findInDirectory,
  type Identity,
  insertIdentity,
  listIdentitiesOf,
  listOfOrganization,
  setUsed,
} from "./identities.store.ts";
import { createAccountOnSignIn } from "./just-in-time-account.ts";
import type { Proof } from "./proof.ts";
import type { Provider } from "./providers.ts";

export type { Identity } from "./identities.store.ts";
export { listIdentitiesOf } from "./identities.store.ts";

/** The account of a person from a provider, and whether it was created or linked for this sign-in. */
export interface Found {
  user: User;
  isNew: boolean;
  isLinkedNow: boolean;
  /** Open invites that the new account accepted. */
  accepted: Invite[];
}

/**
 * "Identities keyed by (provider, subject), never by e-mail": once linked, the subject alone decides. A person who
 * signs in for the first time is looked up in the provider's directory, then by an address in a verified domain.
 * Otherwise an account is created if the provider allows it. Runs in the transaction of the sign-in, under the
 * organization's lock.
 */
export async function findOrLinkAccount(
  scope: AnyScope,
  provider: Provider,
  proof: Proof,
  mayCreate: boolean,
): Promise<Found> {
  const { db } = scope;
  const now = scope.now().toISOString();
  const identity = await findBySubject(db, provider.id, proof.subject);
  const isAccountRemoved = identity !== null && (await isRemoved(db, identity.userId));
  if (identity && !isAccountRemoved) {
    const user = await requireUsable(db, await findUser(db, identity.userId));
    await setUsed(db, identity.id, proof.email?.typed ?? null, now);
    return { user, isNew: false, isLinkedNow: false, accepted: [] };
  }
  const known = (await findByDirectory(db, provider, proof)) ?? (await findByAddress(db, provider, proof));
  if (identity) {
    // The directory deleted the account and may have created another one for the person. Only the directory may do
    // that.
    if (!known) throw new Problem("account_removed");
    await deleteIdentityRow(db, identity.id);
  }
  const found = known
    ? { user: await requireUsable(db, known), isNew: false, isLinkedNow: true, accepted: [] }
    : { ...(await createNewAccount(scope, provider, proof, mayCreate)), isNew: true, isLinkedNow: true };
  await insertIdentity(db, {
    id: newId("identity", scope.region),
    organizationId: provider.organizationId,
    providerId: provider.id,
    subject: proof.subject,
    userId: found.user.id,
    email: proof.email?.typed ?? null,
    createdAt: now,
    lastUsedAt: now,
  });
  return found;
}

/** A confirmation never creates an account. */
async function createNewAccount(scope: AnyScope, provider: Provider, proof: Proof, mayCreate: boolean) {
  if (!mayCreate) throw new Problem("sso_no_account");
  const domain = await findDomainFor(scope.db, provider, proof);
  // Without this message the person would not know what to change.
  if (domain && !proof.emailChecked && !provider.justInTime) throw new Problem("sso_no_account", unchecked);
  return createAccountOnSignIn(scope, provider, proof, domain !== null && proof.emailChecked);
}

/** "A deactivated person is refused with a clear reason", and signing in never reactivates an account. */
async function requireUsable(db: Db, user: User | null): Promise<User> {
  if (!user || (await isRemoved(db, user.id))) throw new Problem("account_removed");
  if (!user.active) throw new Problem("account_deactivated", "Your account is deactivated.");
  if (user.kind !== "person") throw new Problem("sso_no_account");
  return user;
}

async function findByDirectory(db: Db, provider: Provider, proof: Proof): Promise<User | null> {
  if (provider.directoryId === null) return null;
  const found = await findInDirectory(db, provider.directoryId, proof.externalIds, proof.userNames);
  if (!found) return null;
  if (found.deleted) throw new Problem("account_removed");
  const user = await findUser(db, found.userId);
  if (!user) return null;
  await refuseLinked(db, provider, user, await findVerifiedDomain(db, domainOf(user.emailKey)));
  return user;
}

/** Links by address only if the organization has verified the domain and the provider is responsible for it. */
async function findByAddress(db: Db, provider: Provider, proof: Proof): Promise<User | null> {
  if (!proof.email) return null;
  const user = await findUserByEmail(db, provider.organizationId, proof.email);
  if (!user) return null;
  const domain = await findDomainFor(db, provider, proof);
  if (!domain) throw new Problem("sso_domain_unverified");
  if (!proof.emailChecked) throw new Problem("sso_domain_unverified", unchecked);
  await refuseLinked(db, provider, user, domain);
  return user;
}

const unchecked =
  "Your identity provider says that nobody has verified your e-mail address, so it links no account. Have the address verified there (email_verified, at Entra ID xms_edov), then sign in again.";

/** The verified domain of the address, if the provider is responsible for it. */
async function findDomainFor(db: Db, provider: Provider, proof: Proof): Promise<Domain | null> {
  if (!proof.email) return null;
  const domain = await findVerifiedDomain(db, domainOf(proof.email.key));
  const isOurs = domain?.organizationId === provider.organizationId;
  const isSpokenFor = domain?.providerId === null || domain?.providerId === provider.id;
  return domain && isOurs && isSpokenFor ? domain : null;
}

/**
 * A linked account belongs to its subject: the address may have been given to another person, and a second provider
 * must not take over the account. It may if the domain names it as the responsible provider.
 */
async function refuseLinked(db: Db, provider: Provider, user: User, domain: Domain | null): Promise<void> {
  const links = await listIdentitiesOf(db, user.id);
  if (links.length === 0) return;
  const isSameProvider = links.some((link) => link.providerId === provider.id);
  const mayTakeOver = domain?.organizationId === provider.organizationId && domain.providerId === provider.id;
  if (isSameProvider || !mayTakeOver) throw new Problem("sso_linked_elsewhere");
}

export const listIdentities = (scope: Scope, page: { after: string; limit: number }): Promise<Identity[]> =>
  listOfOrganization(scope.db, scope.actor.organizationId, page);

/** Removes the link. The account stays, and the next sign-in links it again. */
export async function unlinkIdentity(scope: Scope, id: string): Promise<Identity> {
  const identity = await findIdentityRow(scope.db, id);
  if (identity?.organizationId !== scope.actor.organizationId) throw new Problem("identity_not_found");
  await deleteIdentityRow(scope.db, id);
  return identity;
}
