import { refuseOtherRegion } from "../access/callers/wrong-region.ts";
import { DirectoryConflict, UnknownMember } from "../access/directory/change.ts";
import { authenticateToken, readTokenHeader } from "../access/directory/tokens.ts";
import type { RegionContext } from "../calls/call.ts";
import type { Face, FaceAnswer, FaceRequest } from "../calls/face.ts";
import type { PolicyName } from "../calls/rate-limits.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem } from "../kernel/problem.ts";
import { answerWith, type ScimCall } from "./call.ts";
import { bodyBytesMax } from "./discovery.ts";
import { errorBody, ScimRefused } from "./refusal.ts";
import { operationOf, operations, routeOf } from "./routes.ts";

const jsonType = /^application\/(?:scim\+)?json\s*(?:;|$)/i;
const policies: readonly PolicyName[] = ["scim"];

/** SCIM 2.0 (RFC 7643, RFC 7644) at /scim/v2: people and groups as an identity provider sees them. */
export function createScim({ context, baseUrl }: { context: RegionContext; baseUrl: string }): Face {
  async function answer(request: FaceRequest): Promise<FaceAnswer> {
    try {
      const call = await admit(request);
      const handle = routeOf(request.method, request.url);
      const hasBody = request.method === "POST" || request.method === "PUT" || request.method === "PATCH";
      if (hasBody && !jsonType.test(request.contentType)) throw new Problem("unsupported_media_type");
      const bodyText = hasBody ? await readText(request, call) : "";
      mark("a directory's call", request.seen);
      return await handle({ ...call, bodyText });
    } catch (error) {
      const refused = asRefused(error);
      if (!refused) throw error;
      return refusal(refused.status, refused.message, refused.scimType);
    }
  }

  /** Whose directory this is about: the token says so, and it is asked about on every request. */
  async function admit(request: FaceRequest): Promise<Omit<ScimCall, "bodyText">> {
    const { limits } = context.rooms;
    if (request.authorization === undefined) throw new Problem("credentials_missing");
    const credentials = readTokenHeader(request.authorization);
    if (!credentials) {
      limits.admit(["auth_failure"], request.ip);
      throw new Problem("credentials_invalid", "The Authorization header holds no token of a directory.");
    }
    refuseOtherRegion(context.region, credentials.region);
    const holder = await authenticateToken(context.store, credentials.hash, context.now()).catch((error) => {
      if (error instanceof Problem) {
        limits.admit(["auth_failure"], request.ip);
        limits.admit(["auth_failure"], credentials.prefix);
      }
      throw error;
    });
    request.seen.keyId = holder.id;
    request.seen.organizationId = holder.organizationId;
    mark("a directory's call", request.seen);
    context.onKeyUsed(holder.id);
    request.seen.rateLimit = limits.admit(policies, holder.directoryId);
    return { context, baseUrl, request, credentials, holder, query: queryOf(request.url) };
  }

  return { prefix: "/scim/v2", bodyBytesMax, operations, operationOf, answer, refuse };
}

const readText = async ({ body }: FaceRequest, { holder }: Pick<ScimCall, "holder">): Promise<string> =>
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

const refusal = (status: number, detail: string, scimType: ScimRefused["scimType"] = null): FaceAnswer => ({
  ...answerWith(status, null),
  body: errorBody(status, scimType, detail),
});

/** What every face refuses, in the form of this one. A 401 "MUST" carry the challenge (RFC 9110, 15.5.2). */
function refuse(problem: Problem): FaceAnswer {
  const answer = refusal(problem.status, problem.message);
  if (problem.status === 401) {
    const error = problem.code === "credentials_missing" ? "" : ', error="invalid_token"';
    answer.headers["www-authenticate"] = `Bearer realm="signalbox"${error}`;
  }
  Object.assign(answer.headers, problem.extras.headers);
  return answer;
}
