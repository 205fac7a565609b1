import type { Db } from "../../store/db.ts";
import { endNonSsoSessions } from "./end-other-sessions.store.ts";

/**
 * Call after a change of providers, domains, owners, or a person's address. Required single sign-on applies at once,
 * not from the next sign-in on: this ends sessions by password or passkey that could not be opened again. Owners keep
 * their sessions, since they may still sign in that way.
 */
export const endSessionsOutsideSso = (
  db: Db,
  organizationId: string,
  now: Date,
  onlyUserId: string | null = null,
): Promise<number> => endNonSsoSessions(db, organizationId, now.toISOString(), onlyUserId);
