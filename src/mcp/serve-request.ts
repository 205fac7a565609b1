import { createMcpHandler } from "@modelcontextprotocol/server";
import type { ProtocolRequest, ProtocolResponse } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import { JsonRefused, notJson, parseJson } from "../kernel/strict-json.ts";
import { answerIn, takeAnswer } from "./approvals.ts";
import type { Caller } from "./caller.ts";
import { type CancelledCalls, canAskIn, cancelledIn, newSessionFor, sessionOf } from "./cancelled-calls.ts";
import { listenStream } from "./listen-stream.ts";
import { quickCall } from "./quick-call.ts";
import { createRequestServer } from "./request-server.ts";
import { watchTools } from "./watch-tools.ts";

const forwarded = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "last-event-id"];

/** The library checks every value several times: with more of them, one call would hold up everybody. */
const jsonMax = { weight: 20_000, names: 5_000 };
const depthMax = 64;
/** So little cannot hold up anybody, and nearly every message has less. */
const shortCharacters = 16 * 1024;

/** The body as the library takes it; what is not JSON at all it refuses itself, in its protocol's words. */
function readMessage(text: string | null): { parsedBody?: unknown } {
  if (text === null || text.length <= shortCharacters) return {};
  try {
    return { parsedBody: parseJson(text, depthMax, jsonMax) };
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    if (error.message === notJson) return {};
    throw new Problem("malformed_request", error.message);
  }
}

/** A plain call is answered here; the protocol's library does the rest, and answers in the revision that the client speaks. */
export async function serveRequest(
  request: ProtocolRequest,
  text: string | null,
  caller: Caller,
  { context, baseUrl, calls }: { context: RegionContext; baseUrl: string; calls: CancelledCalls },
): Promise<ProtocolResponse> {
  const message = readMessage(text);
  const quick = await quickCall(request, text, caller, { context, calls });
  if (quick) return quick;
  const listening = await listenStream(request, caller, context);
  if (listening) return listening;
  const sessionId = sessionOf(request);
  const answer = answerIn(text);
  if (answer) {
    await takeAnswer(caller, answer, { context, calls, sessionId });
    return { status: 202, headers: {}, body: "" };
  }
  const cancelled = cancelledIn(text);
  if (cancelled !== null) calls.cancel({ userId: caller.userId, sessionId, requestId: cancelled });
  const begin = (requestId: string | number) => calls.begin({ userId: caller.userId, sessionId, requestId });
  // One for each request: whatever it tells about changes is about this caller's project.
  const handler = createMcpHandler(
    (of) => createRequestServer(caller, { ...of, begin, canAsk: canAskIn(sessionId) }, context),
    {
      bus: watchTools(caller, context, () => void handler.close()),
      onerror: (error) =>
        context.log.debug({ err: error, request_id: request.requestId }, "an assistant's call was refused"),
    },
  );
  const headers = new Headers();
  for (const name of forwarded) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const { method, gone: signal } = request;
  const response = await handler.fetch(new Request(`${baseUrl}/mcp`, { method, headers, signal, body: text }), message);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), ...newSessionFor(text) },
    body: isStream && response.body ? response.body : await response.text(),
  };
}
