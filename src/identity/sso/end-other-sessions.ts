import type { Db } from "../../store/db.ts";
import { endSessionsOfHeld } from "./end-other-sessions.store.ts";

/**
 * After a change of providers, domains, owners, or one person's address. Single sign-on that is required holds from now on, and not from the next
 * sign-in on: whoever is in by a password or a passkey, and could not come in like that again, is out. Owners could, and stay.
 */
export const endSessionsOutsideSso = (
  db: Db,
  organizationId: string,
  now: Date,
  onlyUserId: string | null = null,
): Promise<number> => endSessionsOfHeld(db, organizationId, now.toISOString(), onlyUserId);
