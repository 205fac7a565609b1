import type { ProtocolRequest, ProtocolResponse } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { findStep } from "../systems/index.ts";
import { callTool } from "./call-tool.ts";
import type { Caller } from "./caller.ts";
import { type CancelledCalls, canAskIn, hasForms, sessionOf } from "./cancelled-calls.ts";
import { serverInfo } from "./server-info.ts";

/**
 * The plain tool call, which is nearly every request: one result as JSON, without progress and questions. The protocol's library takes
 * more CPU for it than the step itself, so it is answered here. Everything else, and everything unusual, goes to the library.
 */
export async function quickCall(
  request: ProtocolRequest,
  text: string | null,
  caller: Caller,
  { context, calls }: { context: RegionContext; calls: CancelledCalls },
): Promise<ProtocolResponse | null> {
  const asked = text === null ? null : plainCallIn(request, text);
  if (!asked) return null;
  const { id, name, input, idempotencyKey, isModern } = asked;
  const older = isModern ? null : calls.begin({ userId: caller.userId, sessionId: sessionOf(request), requestId: id });
  const cancelled = isModern ? request.gone : (older?.signal ?? null);
  const watch = { wantsProgress: false, progress: async () => {}, cancelled };
  const call = { name, input, idempotencyKey, watch, asking: null, earlier: null };
  const result = await callTool(caller, call, context).finally(() => older?.end());
  // No tool has this name, and nothing was done: the library refuses it in its own words.
  if (result === null) return null;
  const body = { jsonrpc: "2.0", id, result: isModern ? asComplete(result) : withObjectContent(result) };
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

type Result = NonNullable<Awaited<ReturnType<typeof callTool>>>;

const asComplete = (result: Result): object => ({
  ...result,
  _meta: { ...result._meta, "io.modelcontextprotocol/serverInfo": serverInfo },
  resultType: "complete",
});

/** "structuredContent" was an object, until 2026-07-28. */
function withObjectContent(result: Result): object {
  const { structuredContent: content } = result as { structuredContent?: unknown };
  const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
  return content === undefined || isObject ? result : { ...result, structuredContent: { result: content } };
}

interface PlainCall {
  id: string | number;
  name: string;
  input: Record<string, unknown>;
  idempotencyKey: string | undefined;
  isModern: boolean;
}

const newestRevision = "2026-07-28";
const olderRevisions = new Set(["2025-03-26", "2025-06-18", "2025-11-25"]);
const ofProtocol = "io.modelcontextprotocol/";

/** Null for everything that is not exactly a plain call in a known revision. */
function plainCallIn(request: ProtocolRequest, text: string): PlainCall | null {
  const accept = request.header("accept") ?? "";
  if (!accept.includes("application/json") || !accept.includes("text/event-stream")) return null;
  if (!/^application\/json(;|$)/i.test(request.contentType)) return null;
  const { jsonrpc, id, method, params } = parsed(text);
  if (jsonrpc !== "2.0" || method !== "tools/call" || (typeof id !== "string" && !Number.isInteger(id))) return null;
  if (!isRecord(params) || typeof params.name !== "string") return null;
  const { name, arguments: input = {}, _meta: meta = {}, ...others } = params;
  if (!isRecord(input) || !isRecord(meta) || Object.keys(others).length > 0 || "progressToken" in meta) return null;
  const isModern = request.header("mcp-protocol-version") === newestRevision;
  if (isModern ? !isModernCall(request, name, meta) : !isOlderCall(request, name, meta)) return null;
  const key = meta["signalbox/idempotency-key"];
  const idempotencyKey = key === undefined ? undefined : String(key);
  return { id: id as string | number, name, input, idempotencyKey, isModern };
}

/** Headers and envelope agree, and nobody is asked: the client cannot, or a step is called. */
function isModernCall(request: ProtocolRequest, name: string, meta: Record<string, unknown>): boolean {
  const client = meta[`${ofProtocol}clientInfo`];
  const capabilities = meta[`${ofProtocol}clientCapabilities`];
  return (
    request.header("mcp-method") === "tools/call" &&
    request.header("mcp-name") === name &&
    meta[`${ofProtocol}protocolVersion`] === newestRevision &&
    isRecord(client) &&
    typeof client.name === "string" &&
    typeof client.version === "string" &&
    isRecord(capabilities) &&
    !(hasForms(capabilities) && findStep(name) === null)
  );
}

const isOlderCall = (request: ProtocolRequest, name: string, meta: Record<string, unknown>): boolean =>
  olderRevisions.has(request.header("mcp-protocol-version") ?? "") &&
  !(canAskIn(sessionOf(request)) && findStep(name) === null) &&
  !Object.keys(meta).some((key) => key.startsWith(ofProtocol));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    // The operation itself refuses what is not JSON.
    return {};
  }
}
