import {
  accessSeconds,
  endGrant,
  exchangeCode,
  findByAccess,
  findByCode,
  findByRefresh,
  type Grant,
  isClientOf,
  refreshTokens,
  type Tokens,
} from "../access/assistants/oauth-grants.ts";
import { appendAudit, lockChain } from "../access/audit/audit.ts";
import { inOneTransaction } from "../access/one-transaction.ts";
import type { AnyScope } from "../access/scope.ts";
import type { Protocol, ProtocolRequest, ProtocolResponse } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import { announceChanges } from "../webhooks/announce-changes.ts";
import { register } from "./register-client.ts";

/**
 * The authorization server for assistants: OAuth 2.1 with PKCE, dynamic registration (RFC 7591) or an address as client id, metadata
 * (RFC 8414, RFC 9728) and revocation (RFC 7009). People allow an assistant on the page at `/oauth/authorize`.
 */

const bodyBytesMax = 16 * 1024;

export interface OauthParts {
  context: RegionContext;
  baseUrl: string;
}

export function createOauth({ context, baseUrl }: OauthParts): Protocol[] {
  const metadata = (request: ProtocolRequest, body: object): ProtocolResponse => {
    if (request.method !== "GET" && request.method !== "HEAD") throw new Problem("method_not_allowed");
    return answer(200, body);
  };
  const post = (
    prefix: Protocol["prefix"],
    work: (given: Given, request: ProtocolRequest) => Promise<ProtocolResponse>,
  ) =>
    protocol(prefix, async (request) => {
      if (request.method === "OPTIONS") return answer(204, null);
      if (request.method !== "POST") throw new Problem("method_not_allowed", undefined, { headers: { allow: "POST" } });
      await context.rooms.limits.admit(["sign_in"], request.ip);
      const text = request.body.received() ?? (await request.body.read({ address: request.ip }));
      return work(readGiven(text, request.contentType), request);
    });
  return [
    protocol("/.well-known/oauth-protected-resource", async (request) =>
      metadata(request, {
        resource: `${baseUrl}/mcp`,
        authorization_servers: [baseUrl],
        bearer_methods_supported: ["header"],
        resource_name: "Signalbox",
        resource_documentation: `${baseUrl}/latest/documentation`,
      }),
    ),
    protocol("/.well-known/oauth-authorization-server", async (request) =>
      metadata(request, {
        issuer: baseUrl,
        authorization_endpoint: `${baseUrl}/oauth/authorize`,
        token_endpoint: `${baseUrl}/oauth/token`,
        registration_endpoint: `${baseUrl}/oauth/register`,
        revocation_endpoint: `${baseUrl}/oauth/revoke`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      }),
    ),
    post("/oauth/register", async (given) => {
      const done = register(given, context);
      return "error" in done ? refused(done.error, done.description) : answer(201, done.registration);
    }),
    post("/oauth/token", async (given, request) => token(given, request, context)),
    post("/oauth/revoke", async (given, request) => revoke(given, request, context)),
  ];
}

const protocol = (prefix: Protocol["prefix"], respond: Protocol["respond"]): Protocol => ({
  prefix,
  bodyBytesMax,
  operations: [prefix.slice(1)],
  operationOf: () => prefix.slice(1),
  respond,
  refuse: ({ status, code, message, extras }) => ({
    ...answer(status, { error: errorOf(code, prefix), error_description: message }),
    headers: { ...headers, ...extras.headers },
  }),
});

/** A browser page of an assistant may read these answers: they need no cookie and carry none. */
const headers = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "content-type, authorization, mcp-protocol-version",
};

const answer = (status: number, body: object | null): ProtocolResponse => ({
  status,
  headers,
  body: body === null ? "" : JSON.stringify(body),
});

const errorOf = (code: string, prefix: string): string =>
  code === "rate_limited"
    ? "temporarily_unavailable"
    : prefix === "/oauth/register" && code === "malformed_request"
      ? "invalid_client_metadata"
      : "invalid_request";

const refused = (error: string, description: string): ProtocolResponse =>
  answer(400, { error, error_description: description });

type Given = Record<string, unknown>;

/** A form, as OAuth has it, or JSON. */
function readGiven(text: string, contentType: string): Given {
  if (!contentType.startsWith("application/json")) return Object.fromEntries(new URLSearchParams(text));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Given;
  } catch {
    // Refused below, together with JSON that is not an object.
  }
  throw new Problem("malformed_request");
}

const textIn = (given: Given, name: string): string => {
  const value = given[name];
  return typeof value === "string" ? value : "";
};

async function token(given: Given, request: ProtocolRequest, context: RegionContext): Promise<ProtocolResponse> {
  const kind = textIn(given, "grant_type");
  if (kind === "authorization_code") return fromCode(given, request, context);
  if (kind === "refresh_token") return fromRefresh(given, request, context);
  return refused("unsupported_grant_type", "Send `authorization_code` or `refresh_token`.");
}

async function fromCode(given: Given, request: ProtocolRequest, context: RegionContext): Promise<ProtocolResponse> {
  const code = textIn(given, "code");
  const grant = await findByCode(context.store, code);
  if (!grant) return refused("invalid_grant", "The code is unknown, was used, or has expired.");
  const tokens = await underLock(grant, request, context, async (scope, audit) => {
    const exchanged = await exchangeCode(scope, {
      code,
      verifier: textIn(given, "code_verifier"),
      clientId: textIn(given, "client_id"),
      redirectUri: textIn(given, "redirect_uri"),
    });
    if (exchanged) await audit("assistant.connected", exchanged.grant);
    return exchanged;
  });
  if (!tokens) return refused("invalid_grant", "Code, verifier, client and redirect address do not belong together.");
  return tokenAnswer(tokens);
}

async function fromRefresh(given: Given, request: ProtocolRequest, context: RegionContext): Promise<ProtocolResponse> {
  const refreshToken = textIn(given, "refresh_token");
  const grant = await findByRefresh(context.store, refreshToken);
  if (!grant) return refused("invalid_grant", "The refresh token is unknown or has expired.");
  const tokens = await underLock(grant, request, context, async (scope, audit) => {
    const refreshed = await refreshTokens(scope, { refreshToken, clientId: textIn(given, "client_id") });
    if (refreshed === "stolen") await audit("assistant.revoked", grant, { reason: "a refresh token was used twice" });
    return refreshed;
  });
  if (!tokens || tokens === "stolen")
    return refused("invalid_grant", "The access was revoked or has expired. Connect again.");
  return tokenAnswer(tokens);
}

const tokenAnswer = ({ accessToken, refreshToken }: Tokens): ProtocolResponse =>
  answer(200, {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: accessSeconds,
    refresh_token: refreshToken,
  });

/**
 * "The authorization server responds with HTTP status code 200 … if the client submitted an invalid token." Either token ends the
 * whole access: nobody who revokes one wants the other to go on.
 */
async function revoke(given: Given, request: ProtocolRequest, context: RegionContext): Promise<ProtocolResponse> {
  const text = textIn(given, "token");
  if (text === "") return refused("invalid_request", "`token` is missing.");
  const grant = (await findByRefresh(context.store, text)) ?? (await findByAccess(context.store, text));
  if (!grant) return answer(200, {});
  const clientId = textIn(given, "client_id");
  if (clientId !== "" && !isClientOf(grant, clientId)) {
    return refused("invalid_client", "The token was issued to another client.");
  }
  await underLock(grant, request, context, async (scope, audit) => {
    await endGrant(scope, grant);
    await audit("assistant.revoked", grant, { reason: "the assistant asked for it" });
  });
  return answer(200, {});
}

type Audit = (action: string, grant: Grant, details?: Record<string, unknown>) => Promise<void>;

/** One transaction under the organization's lock. The holder of the secret acts; the row names the person whose grant it is. */
function underLock<T>(
  grant: Grant,
  request: ProtocolRequest,
  context: RegionContext,
  work: (scope: AnyScope, audit: Audit) => Promise<T>,
): Promise<T> {
  return inOneTransaction(context.store, async (inside) => {
    let head = await lockChain(inside.db, grant.organizationId);
    const scope: AnyScope = {
      ...inside,
      region: context.region,
      now: context.now,
      actor: { kind: "nobody" },
      projectId: grant.projectId,
      requestId: request.requestId,
      ip: request.ip,
      through: "mcp",
      announce: announceChanges(context.rooms.webhooks.deliveries.wake),
    };
    return work(scope, async (action, { id, userId, clientName }, details = {}) => {
      head = await appendAudit(scope, head, {
        action,
        target: id,
        details: { user_id: userId, client: clientName, ...details },
      });
    });
  });
}
