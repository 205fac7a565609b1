import type { Protocol, ProtocolRequest, ProtocolResponse } from "../calls/protocol.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem, problems } from "../kernel/problem.ts";
import { admitCaller } from "./caller.ts";
import { createCancelledCalls } from "./cancelled-calls.ts";
import { createOauth, type OauthParts } from "./oauth.ts";

const bodyBytesMax = 1024 * 1024;

/**
 * The Model Context Protocol at /mcp, streamable HTTP without sessions. A request is authenticated before its body is read, and
 * every tool call is a call of an operation.
 */
export function createMcp(parts: OauthParts): Protocol[] {
  const { context, baseUrl } = parts;
  const calls = createCancelledCalls();
  let library: typeof import("./serve-request.ts") | null = null;
  async function respond(request: ProtocolRequest): Promise<ProtocolResponse> {
    refuseOrigin(request, baseUrl);
    const caller = await admitCaller(request, context);
    const holder = { organization: caller.organizationId };
    const text = request.method === "POST" ? (request.body.received() ?? (await request.body.read(holder))) : null;
    mark("an assistant's call", request.seen);
    // The library takes a third of a second to load: a server that no assistant uses goes without it.
    library ??= await import("./serve-request.ts");
    return library.serveRequest(request, text, caller, { context, baseUrl, calls });
  }

  const mcp: Protocol = {
    prefix: "/mcp",
    bodyBytesMax,
    operations: ["mcp"],
    operationOf: () => "mcp",
    respond,
    refuse: refuseIn(baseUrl),
  };
  return [mcp, ...createOauth(parts)];
}

/** "Servers MUST validate the Origin header on all incoming connections to prevent DNS rebinding attacks." */
function refuseOrigin(request: ProtocolRequest, baseUrl: string): void {
  const origin = request.header("origin");
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  const host = URL.canParse(origin) ? new URL(origin).hostname : "";
  if (!["localhost", "127.0.0.1", "[::1]"].includes(host)) throw new Problem("origin_refused");
}

const refuseIn =
  (baseUrl: string) =>
  (problem: Problem): ProtocolResponse => {
    const { code, status, message: detail, extras } = problem;
    const { title, remedy } = problems[code];
    const challenge = `Bearer realm="signalbox", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;
    return {
      status,
      headers: {
        "content-type": "application/problem+json",
        ...(status === 401 && { "www-authenticate": challenge }),
        ...extras.headers,
      },
      body: JSON.stringify({ title, status, detail, code, remedy, ...extras.more }),
    };
  };
