import type { User } from "../../access/users.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { domainOf } from "./domains.ts";
import { findProviderOfDomain } from "./providers.ts";

/** An organization's single sign-on, for the sign-in page. */
export interface SsoOffer {
  organizationId: string;
  /** The path that starts the sign-in. */
  url: string;
  /** What the organization calls its provider. */
  label: string;
  /** Members have to use it. Owners may still sign in otherwise, in case the provider is down. */
  required: boolean;
}

/** Finds single sign-on for the verified domain of an address. Whether the address has an account does not matter. */
export async function findSsoFor(db: Db, emailKey: string): Promise<SsoOffer | null> {
  const provider = await findProviderOfDomain(db, domainOf(emailKey));
  if (!provider) return null;
  return {
    organizationId: provider.organizationId,
    url: `/sso/start?provider=${provider.id}`,
    label: provider.label,
    required: provider.required,
  };
}

/**
 * An owner may sign in without single sign-on if the provider is down or misconfigured, because only an owner can
 * repair it.
 */
export async function refuseIfSsoRequired(
  db: Db,
  account: Pick<User, "emailKey" | "organizationId" | "organizationRole">,
): Promise<void> {
  if (account.organizationRole === "owner") return;
  const sso = await findSsoFor(db, account.emailKey);
  if (!sso?.required || sso.organizationId !== account.organizationId) return;
  throw new Problem("sso_required", undefined, { more: { sso_url: sso.url } });
}
