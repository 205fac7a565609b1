import { refuseOtherRegion } from "../access/callers/wrong-region.ts";
import { DirectoryConflict, UnknownMember } from "../access/directory/directory-change.ts";
import { authenticateToken, readTokenHeader, type TokenHolder } from "../access/directory/scim-tokens.ts";
import { createDirectorySearch } from "../access/directory/search.ts";
import type { Protocol, ProtocolRequest, ProtocolResponse } from "../calls/protocol.ts";
import type { PolicyName } from "../calls/rate-limits/default-quotas.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem } from "../kernel/problem.ts";
import type { ScimCall } from "./authenticated-request.ts";
import { jsonResponse } from "./response/responses.ts";
import { errorBody, ScimRefused } from "./response/scim-error.ts";
import { operationOf, operations, routeOf } from "./routes.ts";
import { bodyBytesMax } from "./schema/discovery.ts";

const jsonType = /^application\/(?:scim\+)?json\s*(?:;|$)/i;
const policies: readonly PolicyName[] = ["scim"];

/** SCIM 2.0 (RFC 7643, RFC 7644) at /scim/v2: people and groups for an identity provider. */
export function createScim({ context, baseUrl }: { context: RegionContext; baseUrl: string }): Protocol {
  const search = createDirectorySearch(context.store);

  async function respond(request: ProtocolRequest): Promise<ProtocolResponse> {
    let holder: TokenHolder | null = null;
    try {
      const call = await admit(request);
      holder = call.holder;
      const handle = routeOf(request.method, request.url);
      const hasBody = request.method === "POST" || request.method === "PUT" || request.method === "PATCH";
      if (hasBody && !jsonType.test(request.contentType)) throw new Problem("unsupported_media_type");
      const bodyText = hasBody ? await readText(request, call) : "";
      mark("a directory's call", request.seen);
      const response = await handle({ ...call, bodyText });
      note(request, holder, response.status, null);
      return response;
    } catch (error) {
      const refused = asRefused(error);
      const known = refused ?? (error instanceof Problem ? error : null);
      if (holder)
        note(request, holder, known?.status ?? 500, known?.message ?? "The server could not process the request.");
      if (!refused) throw error;
      return errorResponse(refused.status, refused.message, refused.scimType);
    }
  }

  /** For the owner, who otherwise sees only what a directory changed, not what was refused. */
  function note({ method, url, ip }: ProtocolRequest, holder: TokenHolder, status: number, problem: string | null) {
    const { id: tokenId, directoryId } = holder;
    const request = { directoryId, tokenId, method, path: url, status, problem, ip };
    context.rooms.directoryRequests.record(request, context.now());
  }

  /** Authenticates the token on every request. The token determines the directory. */
  async function admit(request: ProtocolRequest): Promise<Omit<ScimCall, "bodyText">> {
    const { limits } = context.rooms;
    if (request.authorization === undefined) throw new Problem("credentials_missing");
    const credentials = readTokenHeader(request.authorization);
    if (!credentials) {
      await limits.admit(["auth_failure"], request.ip);
      throw new Problem("credentials_invalid", "The Authorization header does not contain the token of a directory.");
    }
    refuseOtherRegion(context.region, credentials.region);
    const holder = await authenticateToken(context.store.reserve, credentials.hash, context.now()).catch(
      async (error) => {
        if (error instanceof Problem) await limits.admitFailure([request.ip, credentials.prefix]);
        throw error;
      },
    );
    request.seen.keyId = holder.id;
    request.seen.organizationId = holder.organizationId;
    mark("a directory's call", request.seen);
    context.onKeyUsed(holder.id);
    request.seen.rateLimit = await limits.admit(policies, holder.directoryId);
    return { context, search, baseUrl, request, credentials, holder, query: queryOf(request.url) };
  }

  return { prefix: "/scim/v2", bodyBytesMax, operations, operationOf, respond, refuse };
}

const readText = async ({ body }: ProtocolRequest, { holder }: Pick<ScimCall, "holder">): Promise<string> =>
  body.received() ?? body.read({ organization: holder.organizationId });

const queryOf = (url: string): URLSearchParams => {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
};

function asRefused(error: unknown): ScimRefused | null {
  if (error instanceof ScimRefused) return error;
  if (error instanceof DirectoryConflict) return new ScimRefused(409, "uniqueness", error.message);
  if (error instanceof UnknownMember) return new ScimRefused(400, "invalidValue", error.message);
  return null;
}

const errorResponse = (status: number, detail: string, scimType: ScimRefused["scimType"] = null): ProtocolResponse => ({
  ...jsonResponse(status, null),
  body: errorBody(status, scimType, detail),
});

/**
 * Turns a problem that applies to all protocols into a SCIM error. A 401 "MUST" carry the challenge (RFC 9110, 15.5.2).
 */
function refuse(problem: Problem): ProtocolResponse {
  const response = errorResponse(problem.status, problem.message);
  if (problem.status === 401) {
    const error = problem.code === "credentials_missing" ? "" : ', error="invalid_token"';
    response.headers["www-authenticate"] = `Bearer realm="signalbox"${error}`;
  }
  Object.assign(response.headers, problem.extras.headers);
  return response;
}
