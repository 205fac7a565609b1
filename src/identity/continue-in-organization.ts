import { confirmSession, findSession, isByProvider, openSession } from "../access/callers/sessions.ts";
import type { Scope } from "../access/scope.ts";
import { requireAccountById, type User, vouchedByDirectory } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { copyCredentials } from "./credentials.ts";
import { factorsOf } from "./second-factor/factors.ts";
import { isAddressVerifiedFor } from "./sso/domains.ts";
import { refuseIfSsoRequired } from "./sso/offer.ts";

/**
 * Somebody has accepted an invite of another organization, and has an account there now. It opens as the one that they came
 * with does; whoever came by a session goes on there by one.
 */
export async function continueInOrganization(scope: Scope, userId: string, keys: DataKeys): Promise<void> {
  const { db, actor } = scope;
  const account = await requireAccountById(db, userId);
  const came = await requireAccountById(db, actor.userId);
  await refuseUnverifiedAddress(db, came);
  // Undoes the acceptance, where the organization lets people of this domain in by single sign-on only.
  await refuseIfSsoRequired(db, account);
  await copyCredentials(scope, came, account, keys);
  if (actor.by === "session") await openSessionIn(scope, account);
}

/**
 * A directory may write any address beside a person of its organization. Together with a code from somewhere that would open another
 * organization to them: so the person has shown that the address is theirs, or their organization that the domain is. Undoes the acceptance.
 */
async function refuseUnverifiedAddress(db: Db, came: User): Promise<void> {
  if (came.emailVerifiedAt !== vouchedByDirectory || (await isAddressVerifiedFor(db, came))) return;
  throw new Problem(
    "invite_not_found",
    "The invite is for the owner of the address, and nothing shows that it is this account's: only a directory says so.",
  );
}

async function openSessionIn(scope: Scope, account: User): Promise<void> {
  const { db, actor } = scope;
  const came = await findSession(db, actor.keyId);
  if (!came) return;
  const { codes, required } = await factorsOf(db, account);
  // Another organization's identity provider is no second factor to this one: they sign in with password and code.
  if (required && codes > 0 && isByProvider(came)) return;
  const { session, token } = await openSession(scope, {
    userId: account.id,
    // A passkey of the other account is none of this one's.
    method: came.method === "password_and_code" ? came.method : "password",
    userAgent: came.userAgent,
    enrolling: required && codes === 0,
  });
  // Nobody has shown anew who they are.
  await confirmSession(db, session.id, actor.confirmedAt ?? "");
  scope.setSession?.(token);
}
