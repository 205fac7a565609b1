import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import type { Context, Instance } from "../instance.ts";
import { routes } from "../routes.ts";
import { readRequest } from "./api-request.ts";
import type { CallLimits } from "./call-limits.ts";
import type { Client } from "./clients.ts";
import { type ApiHalf, createRequestIds, wrap, wrapRefusal } from "./envelope.ts";
import { Refusal } from "./refusal.ts";
import { compileRoutes } from "./router.ts";
import type { Settings } from "./settings.ts";
import { answerIdentity } from "./token-service.ts";
import type { Tokens } from "./tokens.ts";

export interface GatewayParts {
  settings: Settings;
  tokens: Tokens;
  clock: Context["clock"];
  /** The instance and its counters are made anew by a reset, so they are asked for at each call. */
  instance(): Instance;
  limits(): CallLimits;
  /** Whether this call came when too many were in flight. */
  isOneTooMany(call: SandboxCall): boolean;
}

const jsonHeaders = { "content-type": "application/json;charset=UTF-8" };
const findPath = compileRoutes(routes);
// Documented: a call that ends so counts against neither quota nor rate, so token and verb are looked at before `admit`; nor
// is it among the errors of the day.
const uncounted = new Set(["600", "601", "602", "605"]);

/** The order of the checks is the order in which the vendor refuses: size, token, path and verb, limits, permission. */
export function createGateway(parts: GatewayParts): (call: SandboxCall) => SandboxAnswer {
  const nextRequestId = createRequestIds(parts.clock.now);

  return (call) => {
    const path = call.path.startsWith("/rest/../") ? call.path.slice("/rest/..".length) : call.path;
    const tooLarge = refuseSize(parts.settings, call, path);
    if (tooLarge) return tooLarge;
    if (path.startsWith("/identity/")) return answerIdentity(parts.tokens, call);
    const half: ApiHalf = path.startsWith("/rest/asset/") ? "asset" : "lead";
    const requestId = nextRequestId();
    let client: Client | null = null;
    try {
      client = parts.tokens.ownerOf(tokenOf(parts.settings, call));
      const reply = answerApi(parts, client, call, path);
      const headers = reply.file ? { "content-type": reply.file.type } : jsonHeaders;
      const body = reply.file?.content ?? wrap(half, requestId, reply);
      return { status: 200, headers, body, identity: client.id };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!uncounted.has(error.code)) parts.limits().countError(error.code);
      // What the gateway itself refuses looks the same in both halves.
      const shape = error.code.length === 3 && error.code.startsWith("6") ? "lead" : half;
      const body = wrapRefusal(shape, requestId, error);
      return { status: 200, headers: jsonHeaders, body, identity: client?.id ?? null };
    }
  };
}

function answerApi(parts: GatewayParts, client: Client, call: SandboxCall, path: string) {
  const { settings, clock } = parts;
  const request = readRequest(call);
  const found = findPath(path);
  const route = found?.verbs.get(request.method);
  if (found && !route) throw new Refusal("605", `Request method '${request.method}' not supported`);
  const limits = parts.limits();
  limits.admit(client.user);
  if (parts.isOneTooMany(call)) {
    throw new Refusal("615", `Concurrent access limit '${settings.concurrent_calls}' reached`);
  }
  if (!found || !route || (route.undocumented && !settings.undocumented_paths)) {
    throw new Refusal("610", "Requested resource not found");
  }
  if (route.needs && !client.permissions.has(route.needs)) throw new Refusal("603", "Access denied");
  request.path = found.values;
  return route.run({ instance: parts.instance(), clock, settings, limits, client }, request);
}

function tokenOf(settings: Settings, call: SandboxCall): string {
  const [scheme, token] = (call.headers.authorization ?? "").split(" ");
  if (scheme?.toLowerCase() === "bearer" && token) return token;
  const inQuery = settings.accept_query_token ? call.query.get("access_token") : null;
  if (!inQuery) throw new Refusal("600", "Empty access token");
  return inQuery;
}

/** The web server in front refuses these, so they are HTTP errors with a page and no envelope. */
function refuseSize(settings: Settings, call: SandboxCall, path: string): SandboxAnswer | null {
  if ((call.raw.url ?? "").length > settings.uri_bytes) return page(414, "Request-URI Too Large");
  const most = path.startsWith("/bulk/") ? settings.bulk_body_bytes : settings.body_bytes;
  return call.body.length > most ? page(413, "Request Entity Too Large") : null;
}

const page = (status: number, title: string): SandboxAnswer => ({
  status,
  headers: { "content-type": "text/html" },
  body: `<html>\n<head><title>${status} ${title}</title></head>\n<body><center><h1>${status} ${title}</h1></center></body>\n</html>\n`,
});
