import { appendAudit, lockChain } from "../access/audit/audit.ts";
import type { DirectoryChange } from "../access/directory/change.ts";
import { authenticateToken, type TokenCredentials, type TokenHolder } from "../access/directory/tokens.ts";
import { inOneTransaction } from "../access/one-transaction.ts";
import type { Directory, Scope } from "../access/scope.ts";
import type { RegionContext } from "../calls/call.ts";
import type { FaceAnswer, FaceRequest } from "../calls/face.ts";
import { endSessionsOutsideSso } from "../identity/sso/end-other-sessions.ts";
import { JsonRefused, JsonUnwieldy } from "../kernel/json.ts";
import { parseJsonInTurns } from "../kernel/parse-json-in-turns.ts";
import { tellOfChanges } from "../webhooks/announce-changes.ts";
import { objectOf, type Parts } from "./read-value.ts";
import { badRequest } from "./refusal.ts";

/** A request whose token is known, and what it needs to be answered. */
export interface ScimCall {
  context: RegionContext;
  baseUrl: string;
  request: FaceRequest;
  /** Nothing, where the method has no body. */
  bodyText: string;
  credentials: TokenCredentials;
  holder: TokenHolder;
  query: URLSearchParams;
}

const scimType = "application/scim+json";

/** `body` is JSON already: what is large was written piece by piece. */
export const answerText = (
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): FaceAnswer => ({
  status,
  headers: { "content-type": scimType, ...headers },
  body,
});

export const answerWith = (status: number, body: unknown): FaceAnswer => answerText(status, JSON.stringify(body));

export const nothing = (status: 204 | 304, headers: Record<string, string> = {}): FaceAnswer => ({
  status,
  headers,
  body: "",
});

/**
 * What a body may hold: about eighty thousand members of a group, and more names than all schemas have. Large ones are read in slices.
 */
const bodyMax = { weight: 400_000, names: 2000 };

export async function readBody({ bodyText }: ScimCall): Promise<Parts> {
  let value: unknown;
  try {
    value = await parseJsonInTurns(bodyText, 32, bodyMax);
  } catch (error) {
    if (error instanceof JsonUnwieldy) throw badRequest("tooMany", error.message);
    if (error instanceof JsonRefused) throw badRequest("invalidSyntax", error.message);
    throw error;
  }
  const body = objectOf(value);
  if (!body) throw badRequest("invalidSyntax", "The body is a JSON object.");
  return body;
}

/**
 * One transaction behind the organization's lock. The token is looked at once more there: one that was revoked while the call
 * waited changes nothing any more.
 */
export function change<T>(call: ScimCall, work: (change: DirectoryChange) => Promise<T>): Promise<T> {
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
      announce: tellOfChanges(context.rooms.webhooks.deliveries.wake),
    };
    const note: DirectoryChange["note"] = async (entry) => {
      head = await appendAudit(scope, head, entry);
    };
    const addressChanged: DirectoryChange["addressChanged"] = async (userId) => {
      await endSessionsOutsideSso(db, holder.organizationId, context.now(), userId);
    };
    return work({ scope, organizationId: holder.organizationId, note, addressChanged });
  });
}
