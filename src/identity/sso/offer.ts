import type { User } from "../../access/users.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { domainOf } from "./domains.ts";
import { findProviderFor } from "./providers.ts";

/** An organization's single sign-on, as the sign-in page needs to know it. */
export interface SsoOffer {
  organizationId: string;
  /** Where the person goes to sign in, on our own site. */
  url: string;
  /** People of the organization have no other way in; its owners do, for the day when the provider is away. */
  required: boolean;
}

/**
 * Which organization has proved that it owns the domain of an address, and lets its people sign in elsewhere. Whether the
 * address has an account plays no part in it.
 */
export async function findSsoFor(db: Db, emailKey: string): Promise<SsoOffer | null> {
  const provider = await findProviderFor(db, domainOf(emailKey));
  if (!provider) return null;
  return {
    organizationId: provider.organizationId,
    url: `/sso/start?provider=${provider.id}`,
    required: provider.required,
  };
}

/** An owner can still get in when the provider is away or set up wrongly: nobody else could repair it. */
export async function refuseIfSsoRequired(
  db: Db,
  account: Pick<User, "emailKey" | "organizationId" | "organizationRole">,
): Promise<void> {
  if (account.organizationRole === "owner") return;
  const sso = await findSsoFor(db, account.emailKey);
  if (!sso?.required || sso.organizationId !== account.organizationId) return;
  throw new Problem("sso_required", undefined, { more: { sso_url: sso.url } });
}
