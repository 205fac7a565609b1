import { appendAudit, lockChain } from "../access/audit/audit.ts";
import type { DirectoryChange } from "../access/directory/directory-change.ts";
import { authenticateToken, type TokenCredentials, type TokenHolder } from "../access/directory/tokens.ts";
import { inOneTransaction } from "../access/one-transaction.ts";
import type { Directory, Scope } from "../access/scope.ts";
import type { ProtocolRequest, ProtocolResponse } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/received-call.ts";
import { endSessionsOutsideSso } from "../identity/sso/end-other-sessions.ts";
import { JsonRefused, JsonTooLarge } from "../kernel/json.ts";
import { parseStrictlyInSlices } from "../kernel/parse-strictly-in-slices.ts";
import { announceChanges } from "../webhooks/announce-changes.ts";
import { type JsonObject, objectOf } from "./read-value.ts";
import { badRequest } from "./refusal.ts";

/** An authenticated request. */
export interface ScimCall {
  context: RegionContext;
  baseUrl: string;
  request: ProtocolRequest;
  /** Empty where the method has no body. */
  bodyText: string;
  credentials: TokenCredentials;
  holder: TokenHolder;
  query: URLSearchParams;
}

const scimType = "application/scim+json";

/** `body` is JSON text: large responses are serialized piece by piece. */
export const textResponse = (
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): ProtocolResponse => ({
  status,
  headers: { "content-type": scimType, ...headers },
  body,
});

export const jsonResponse = (status: number, body: unknown): ProtocolResponse =>
  textResponse(status, JSON.stringify(body));

export const emptyResponse = (status: 204 | 304, headers: Record<string, string> = {}): ProtocolResponse => ({
  status,
  headers,
  body: "",
});

/**
 * Bounds of a body: about eighty thousand group members, and more names than all schemas have. Large bodies are parsed
 * in slices.
 */
const bodyMax = { weight: 400_000, names: 2000 };

export async function readBody({ bodyText }: ScimCall): Promise<JsonObject> {
  let value: unknown;
  try {
    value = await parseStrictlyInSlices(bodyText, 32, bodyMax);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw badRequest("tooMany", error.message);
    if (error instanceof JsonRefused) throw badRequest("invalidSyntax", error.message);
    throw error;
  }
  const body = objectOf(value);
  if (!body) throw badRequest("invalidSyntax", "The body is a JSON object.");
  return body;
}

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
