import type { Db } from "../store/db.ts";

/** An organization's single sign-on, as the sign-in page needs to know it. */
export interface SsoOffer {
  organizationId: string;
  /** Where the person goes to sign in, on our own site. */
  url: string;
  /** People of the organization have no other way in; its owners do, for the day when the provider is away. */
  required: boolean;
}

/** Which organization has proved that it owns the domain of an address, and lets its people sign in elsewhere. */
export async function findSsoFor(_db: Db, _emailDomain: string): Promise<SsoOffer | null> {
  return null;
}
