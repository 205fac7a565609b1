import { findGrantOfKey, readAccessToken } from "../access/assistants/oauth-grants.ts";
import { type Authenticated, authenticate } from "../access/callers/authenticate.ts";
import { type Credentials, readAuthorization } from "../access/callers/authorization-header.ts";
import { authorize } from "../access/callers/authorize.ts";
import { refuseOtherRegion } from "../access/callers/wrong-region.ts";
import { operations } from "../api/index.ts";
import { callOperation } from "../calls/call-operation.ts";
import { readIdempotencyKey } from "../calls/idempotency.ts";
import type { ProtocolRequest } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { regionOfId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";

/** Who sent a request, and the operations in their name: role, policy, limits and audit hold as for every other call. */
export interface Caller {
  projectId: string;
  organizationId: string;
  userId: string;
  /** What the person allowed the assistant; null for an API key, which has all rights of its owner. */
  allowed: { readOnly: boolean; tools: string[] | null } | null;
  /** Calls an operation, such as `runs/{run_id}/get`, and returns its answer as JSON text. */
  call(path: string, input?: Record<string, unknown>, idempotencyKey?: string): Promise<string>;
}

/**
 * The key or access token of the request, checked as for every call. A session cookie is not accepted: another site's page could use
 * it.
 */
export async function admitCaller(request: ProtocolRequest, context: RegionContext): Promise<Caller> {
  const { limits } = context.rooms;
  if (request.authorization === undefined) throw new Problem("credentials_missing");
  const given = await readCredentials(request.authorization, context);
  if (!given) {
    await limits.admit(["auth_failure"], request.ip);
    throw new Problem("credentials_invalid");
  }
  const { credentials, allowed } = given;
  refuseOtherRegion(context.region, credentials.region);
  const { actor } = await knownCaller(request, credentials, context);
  request.seen.userId = actor.userId;
  request.seen.keyId = actor.keyId;
  request.seen.organizationId = actor.organizationId;
  context.onKeyUsed(actor.keyId);
  const projectId = credentials.projectId ?? "";
  request.seen.projectId = projectId;
  const call = operationCaller(request, credentials, context);
  return { projectId, organizationId: actor.organizationId, userId: actor.userId, allowed, call };
}

/** An access token names its project by its grant. */
async function readCredentials(
  header: string,
  { store }: RegionContext,
): Promise<{ credentials: Credentials; allowed: Caller["allowed"] } | null> {
  const credentials = readAuthorization(header);
  if (credentials) return { credentials, allowed: null };
  const token = readAccessToken(header);
  const grant = token && (await findGrantOfKey(store.reserve, token.keyHash));
  if (!token || !grant) return null;
  const { readOnly, tools, projectId } = grant;
  return { credentials: { by: "key", projectId, ...token }, allowed: { readOnly, tools } };
}

async function knownCaller(
  request: ProtocolRequest,
  credentials: Credentials,
  context: RegionContext,
): Promise<Authenticated> {
  const { limits } = context.rooms;
  const { projectId } = credentials;
  const who = await authenticate(context.store.reserve, credentials, projectId, context.now()).catch(async (error) => {
    if (error instanceof Problem) await limits.admitFailure([request.ip, credentials.keyPrefix]);
    throw error;
  });
  request.seen.rateLimit = await limits.admitCaller(["default"], who.actor);
  if (projectId !== null) refuseOtherRegion(context.region, regionOfId(projectId));
  authorize(who, "project viewer", projectId);
  return who;
}

const byPath = new Map(operations.map((operation) => [operation.path as string, operation]));

function operationCaller(
  { requestId, ip, seen }: ProtocolRequest,
  credentials: Credentials,
  context: RegionContext,
): Caller["call"] {
  return async (path, input = {}, idempotencyKey) => {
    const operation = byPath.get(`/latest/${path}`);
    if (!operation) throw new Error(`There is no operation ${path}.`);
    const inPath: Record<string, string> = {};
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      inPath[name] = String(input[name]);
      return inPath[name];
    });
    const body = JSON.stringify(Object.fromEntries(Object.entries(input).filter(([name]) => !(name in inPath))));
    const call = {
      authorization: undefined,
      session: () => credentials,
      userAgent: () => "",
      browser: () => null,
      path: filled,
      inPath,
      body: { received: () => body, read: async () => body },
      idempotencyKey: () => (idempotencyKey === undefined ? null : readIdempotencyKey(idempotencyKey)),
      requestId,
      ip,
      seen,
      through: "mcp" as const,
    };
    return callOperation(operation, call, context);
  };
}
