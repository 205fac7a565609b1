import { confirmSession, findSession, isByProvider, openSession } from "../access/callers/sessions.ts";
import type { Scope } from "../access/scope.ts";
import { requireAccountById, type User } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { copyCredentials } from "./credentials.ts";
import { factorsOf } from "./second-factor/factors.ts";
import { isAddressVerifiedFor } from "./sso/domains.ts";
import { refuseIfSsoRequired } from "./sso/required-sso.ts";

/**
 * A person has accepted an invite of another organization and has an account there now. It gets the credentials of
 * their old account. A caller with a session gets a session there.
 */
export async function continueInOrganization(scope: Scope, userId: string, keys: DataKeys): Promise<void> {
  const { db, actor } = scope;
  const account = await requireAccountById(db, userId);
  const original = await requireAccountById(db, actor.userId);
  await refuseUnverifiedAddress(db, original);
  // Throws, which rolls back the acceptance, if the organization requires single sign-on for this domain.
  await refuseIfSsoRequired(db, account);
  await copyCredentials(scope, original, account, keys);
  if (actor.by === "session") await openSessionIn(scope, account);
}

/**
 * A directory or a single sign-on provider can give a person any address. With an invite code for that address, they
 * could enter another organization. So the person must have verified the address, or a directory assigned it in a domain
 * that the organization has verified. An account that only a provider created is unverified also in such a domain: the
 * provider may have said that nobody checked the address. Throws, which rolls back the acceptance.
 */
async function refuseUnverifiedAddress(db: Db, original: User): Promise<void> {
  if (original.emailVerifiedAt !== null && (await isAddressVerifiedFor(db, original))) return;
  throw new Problem("address_unverified");
}

async function openSessionIn(scope: Scope, account: User): Promise<void> {
  const { db, actor } = scope;
  const original = await findSession(db, actor.keyId);
  if (!original) return;
  const { codes, required } = await factorsOf(db, account);
  // Another organization's identity provider does not count as a second factor here: the person signs in with password
  // and code.
  if (required && codes > 0 && isByProvider(original)) return;
  const { session, token } = await openSession(scope, {
    userId: account.id,
    // A passkey of the other account is not valid for this one.
    method: original.method === "password_and_code" ? original.method : "password",
    userAgent: original.userAgent,
    enrolling: required && codes === 0,
  });
  // The person has not confirmed their identity again.
  await confirmSession(db, session.id, actor.confirmedAt ?? "");
  scope.setSession?.(token);
}
