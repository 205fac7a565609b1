import { createHash } from "node:crypto";
import type { SandboxAnswer } from "../../server/sandbox.ts";
import { forbidden, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param, type Route } from "../http/api-request.ts";
import { type Fields, readBody } from "../http/read-body.ts";
import { machineChance, newId } from "../ids.ts";
import type { Token } from "./tokens.ts";

const tokenFields: Fields = {
  name: { type: "string", required: true },
  expiresAt: { type: "integer" },
  projectId: { type: "string" },
};

const idOf = ({ value }: Token) => createHash("sha256").update(value).digest("hex").slice(0, 32);

function listTokens({ tokens, caller }: ApiRequest): SandboxAnswer {
  const own = tokens.ofUser(caller.user.id);
  return ok({ tokens: own.map(viewToken), pagination: { count: own.length, next: null, prev: null } });
}

/** The value is told once, here. Sent with a team it reaches that team alone; with a project, that project. */
function createToken(request: ApiRequest): SandboxAnswer {
  const { tokens, caller, owner, world } = request;
  if (caller.token.installation) throw forbidden("You don't have permission to create an access token.");
  const body = readBody(request.call, tokenFields);
  const token: Token = {
    value: newId(machineChance, ""),
    name: String(body.name),
    userId: caller.user.id,
    onlyOwnerId: owner.team ? owner.id : null,
    installation: null,
    projects: typeof body.projectId === "string" ? [body.projectId] : null,
    issuedAt: world.clock.now(),
    expiresAt: (body.expiresAt as number | undefined) ?? null,
  };
  tokens.keep(token);
  return ok({ token: viewToken(token), bearerToken: token.value });
}

function readToken(request: ApiRequest): SandboxAnswer {
  return ok({ token: viewToken(requireToken(request)) });
}

function removeToken(request: ApiRequest): SandboxAnswer {
  const token = requireToken(request);
  request.tokens.forget(token);
  return ok({ tokenId: idOf(token) });
}

function requireToken(request: ApiRequest): Token {
  const { tokens, caller } = request;
  const wanted = param(request, 0);
  if (wanted === "current") return caller.token;
  const found = tokens.ofUser(caller.user.id).find((token) => idOf(token) === wanted);
  if (!found) throw notFound("Token");
  return found;
}

function viewToken(token: Token): object {
  const { name, onlyOwnerId, userId, issuedAt: createdAt, expiresAt, installation } = token;
  const isTeam = onlyOwnerId !== null && onlyOwnerId !== userId;
  const expiry = expiresAt === null ? {} : { expiresAt };
  const scope = isTeam ? { type: "team", teamId: onlyOwnerId } : { type: "user" };
  return {
    id: idOf(token),
    name,
    type: installation ? "oauth2-token" : "token",
    origin: "manual",
    scopes: [{ ...scope, origin: "manual", createdAt, ...expiry }],
    createdAt,
    activeAt: createdAt,
    ...expiry,
  };
}

const user = { resource: "user", bucket: "user_read_per_minute" } as const;

export const tokenRoutes: Route[] = [
  { ...user, method: "GET", path: "/user/tokens", action: "list", isUnscoped: true, handle: listTokens },
  { ...user, method: "POST", path: "/user/tokens", action: "create", handle: createToken },
  { ...user, method: "GET", path: "/user/tokens/{id}", action: "read", isUnscoped: true, handle: readToken },
  { ...user, method: "DELETE", path: "/user/tokens/{id}", action: "delete", isUnscoped: true, handle: removeToken },
];
