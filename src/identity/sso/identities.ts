import type { Invite } from "../../access/invites.ts";
import type { AnyScope, Scope } from "../../access/scope.ts";
import { findAccountByEmail, findUser, isRemoved, type User } from "../../access/users.ts";
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
  listOfOrganization,
  listOfUser,
  setUsed,
} from "./identities.store.ts";
import { makeAccount } from "./just-in-time.ts";
import type { Proof } from "./proof.ts";
import type { Provider } from "./providers.ts";

export type { Identity } from "./identities.store.ts";

/** The account of somebody who came from a provider, and what had to be done for it. */
export interface Found {
  user: User;
  isNew: boolean;
  isLinkedNow: boolean;
  /** Open invites that a new account has taken up. */
  accepted: Invite[];
}

/**
 * "Identities keyed by (provider, subject), never by e-mail": once linked, the subject alone decides. Who comes for the first
 * time is looked for in the directory that goes with the provider, then by an address in a domain that the organization has
 * verified, and is made an account where the provider may do that. Inside the transaction of the sign-in, behind the lock.
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
  const isLeftBehind = identity !== null && (await isRemoved(db, identity.userId));
  if (identity && !isLeftBehind) {
    const user = await requireUsable(db, await findUser(db, identity.userId));
    await setUsed(db, identity.id, proof.email?.typed ?? null, now);
    return { user, isNew: false, isLinkedNow: false, accepted: [] };
  }
  const known = (await findByDirectory(db, provider, proof)) ?? (await findByAddress(db, provider, proof));
  if (identity) {
    // Their directory deleted the account, and has sent them anew with another one. Nobody else makes them anew.
    if (!known) throw new Problem("account_removed");
    await deleteIdentityRow(db, identity.id);
  }
  const found = known
    ? { user: await requireUsable(db, known), isNew: false, isLinkedNow: true, accepted: [] }
    : { ...(await makeNewcomer(scope, provider, proof, mayCreate)), isNew: true, isLinkedNow: true };
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

/** A confirmation makes nobody: whoever confirms has an account already. */
async function makeNewcomer(scope: AnyScope, provider: Provider, proof: Proof, mayCreate: boolean) {
  if (!mayCreate) throw new Problem("sso_no_account");
  const domain = await findDomainFor(scope.db, provider, proof);
  // It would be told that there is no account for it, and nobody could guess what to change.
  if (domain && !proof.emailChecked && !provider.justInTime) throw new Problem("sso_no_account", unchecked);
  return makeAccount(scope, provider, proof, domain !== null && proof.emailChecked);
}

/** "A deactivated person is refused with a clear reason", and nothing is reactivated by signing in. */
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

/** An address links only where the organization has shown that its domain is its own, and the provider speaks for it. */
async function findByAddress(db: Db, provider: Provider, proof: Proof): Promise<User | null> {
  if (!proof.email) return null;
  const user = await findAccountByEmail(db, provider.organizationId, proof.email);
  if (!user) return null;
  const domain = await findDomainFor(db, provider, proof);
  if (!domain) throw new Problem("sso_domain_unverified");
  if (!proof.emailChecked) throw new Problem("sso_domain_unverified", unchecked);
  await refuseLinked(db, provider, user, domain);
  return user;
}

/** The domain is the organization's own, and the provider says itself that the address may be anybody's. */
const unchecked =
  "Your identity provider says that nobody has verified your e-mail address, so it links no account. Have the address verified there (email_verified, at Entra ID xms_edov), then sign in again.";

/** The verified domain of the address, where the provider speaks for it. */
async function findDomainFor(db: Db, provider: Provider, proof: Proof): Promise<Domain | null> {
  if (!proof.email) return null;
  const domain = await findVerifiedDomain(db, domainOf(proof.email.key));
  const isOurs = domain?.organizationId === provider.organizationId;
  const isSpokenFor = domain?.providerId === null || domain?.providerId === provider.id;
  return domain && isOurs && isSpokenFor ? domain : null;
}

/**
 * An account that is linked already belongs to that subject: an address may have been given to somebody else meanwhile, and
 * a second provider must not take over what the first one knows. It may where the domain names it as the one that counts.
 */
async function refuseLinked(db: Db, provider: Provider, user: User, domain: Domain | null): Promise<void> {
  const links = await listOfUser(db, user.id);
  if (links.length === 0) return;
  const isSameProvider = links.some((link) => link.providerId === provider.id);
  const mayTakeOver = domain?.organizationId === provider.organizationId && domain.providerId === provider.id;
  if (isSameProvider || !mayTakeOver) throw new Problem("sso_linked_elsewhere");
}

export const listIdentities = (scope: Scope, page: { after: string; limit: number }): Promise<Identity[]> =>
  listOfOrganization(scope.db, scope.actor.organizationId, page);

/** The account stays; who it belongs to at the provider is found out anew. */
export async function unlinkIdentity(scope: Scope, id: string): Promise<Identity> {
  const identity = await findIdentityRow(scope.db, id);
  if (identity?.organizationId !== scope.actor.organizationId) throw new Problem("identity_not_found");
  await deleteIdentityRow(scope.db, id);
  return identity;
}

export const listIdentitiesOf = (db: Db, userId: string): Promise<Identity[]> => listOfUser(db, userId);
