import { appendAudit, lockChain } from "../access/audit/audit.ts";
import type { DirectoryChange } from "../access/directory/directory-change.ts";
import { authenticateToken } from "../access/directory/scim-tokens.ts";
import { inOneTransaction } from "../access/one-transaction.ts";
import type { Directory, Scope } from "../access/scope.ts";
import { endSessionsOutsideSso } from "../identity/sso/end-other-sessions.ts";
import { announceChanges } from "../webhooks/announce-changes.ts";
import type { ScimCall } from "./authenticated-request.ts";

/**
 * Runs one transaction under the organization's lock. Checks the token again inside it, so a token that was revoked
 * while the call waited changes nothing.
 */
export function changeDirectory<T>(call: ScimCall, work: (change: DirectoryChange) => Promise<T>): Promise<T> {
  const { context, holder, request } = call;
  return inOneTransaction(context.store, async (inside) => {
    const { db } = inside;
    let head = await lockChain(db, holder.organizationId);
    await authenticateToken(db, call.credentials.hash, context.now());
    const scope: Scope<Directory> = {
      ...inside,
      region: context.region,
      now: context.now,
      actor: { kind: "directory", directoryId: holder.directoryId },
      projectId: null,
      requestId: request.requestId,
      ip: request.ip,
      announce: announceChanges(context.rooms.webhooks.deliveries.wake),
    };
    const audit: DirectoryChange["audit"] = async (entry) => {
      head = await appendAudit(scope, head, entry);
    };
    const onAddressChanged: DirectoryChange["onAddressChanged"] = async (userId) => {
      await endSessionsOutsideSso(db, holder.organizationId, context.now(), userId);
    };
    return work({ scope, organizationId: holder.organizationId, audit, onAddressChanged });
  });
}
