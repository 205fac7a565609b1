import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import { systems } from "../systems/index.ts";
import { approvedIn } from "./approvals.ts";
import { type Ask, callTool, type EarlierRound, type ToolCall } from "./call-tool.ts";
import type { Caller } from "./caller.ts";
import { type CancelledCalls, hasForms } from "./cancelled-calls.ts";
import { listRuns, readResource, templates } from "./resources.ts";
import { serverInfo } from "./server-info.ts";
import { listTools } from "./tools.ts";

const kinds = new Intl.ListFormat("en-GB").format(systems.map(({ inSentence }) => inSentence));

const instructions =
  `Steps call ${kinds} through connected accounts; published tools combine them. ` +
  "A result that is an error carries a `code`, what happened and what to do next. `outcome_unknown` means that a write was sent and its " +
  'response was lost: do not repeat it, ask a person. Send `_meta["signalbox/idempotency-key"]` with a write to repeat it safely.';

/** Lets an older client cancel the call, or dismiss the question, with this id. */
type BeginCall = (requestId: string | number) => ReturnType<CancelledCalls["begin"]>;

/** The server of one request: everything that it knows is in the caller and the region. */
export function createRequestServer(
  caller: Caller,
  { era, begin, canAsk }: Pick<McpRequestContext, "era"> & { begin: BeginCall; canAsk: boolean },
  context: RegionContext,
): Server {
  const isModern = era === "modern";
  const server = new Server(serverInfo, {
    capabilities: { tools: { listChanged: true }, resources: { listChanged: false } },
    instructions,
  });
  server.setRequestHandler("tools/list", ({ params }) =>
    orProtocolError(() => listTools(caller, { cursor: params?.cursor, isModern }, context)),
  );
  server.setRequestHandler("tools/call", async ({ params }, at) => {
    // "Disconnection … SHOULD NOT be interpreted as the client cancelling its request", said the older revisions.
    const older = isModern ? null : begin(at.mcpReq.id);
    const cancelled = isModern ? at.mcpReq.signal : (older?.signal ?? null);
    const asking = isModern ? (hasForms(capabilitiesOf(at)) ? "by result" : null) : canAsk ? askThrough(at) : null;
    const call = callOf(params.name, params.arguments ?? {}, at, { asking, cancelled });
    const result = await callTool(caller, call, context).finally(() => older?.end());
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    return "content" in result ? server.projectCallToolResult(result as never, undefined) : result;
  });
  /** On the stream of the call that it is about. The answer is a request of its own, which `takeAnswer` reads. */
  const askThrough =
    ({ mcpReq }: ServerContext): Ask =>
    async (id, { params }) => {
      const question = begin(id);
      if (!question) throw new Error("Only a client with a session is asked.");
      const message = { jsonrpc: "2.0" as const, id, method: "elicitation/create", params: { ...params } };
      await server.transport?.send(message, { relatedRequestId: mcpReq.id });
      return { dismissed: question.signal, end: question.end };
    };
  server.setRequestHandler("resources/list", ({ params }) => orProtocolError(() => listRuns(caller, params?.cursor)));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templates }));
  server.setRequestHandler("resources/read", ({ params }) => orProtocolError(() => readResource(caller, params.uri)));
  return server;
}

function callOf(
  name: string,
  input: Record<string, unknown>,
  { mcpReq }: ServerContext,
  { asking, cancelled }: Pick<ToolCall, "asking"> & { cancelled: AbortSignal | null },
): ToolCall {
  const { _meta: meta, notify } = mcpReq;
  const token = meta?.progressToken;
  const key = meta?.["signalbox/idempotency-key"];
  return {
    name,
    input,
    idempotencyKey: key === undefined ? undefined : String(key),
    asking,
    earlier: earlierOf(mcpReq),
    watch: {
      wantsProgress: token !== undefined,
      async progress(progress, total, message) {
        if (token === undefined) return;
        await notify({ method: "notifications/progress", params: { progressToken: token, progress, total, message } });
      },
      cancelled,
    },
  };
}

const capabilitiesOf = ({ mcpReq }: ServerContext): unknown =>
  (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];

/** What the client sent along with a repeated call: the run that it belongs to, and the person's word. */
function earlierOf({ requestState, inputResponses }: ServerContext["mcpReq"]): EarlierRound | null {
  const state = requestState<string>();
  const [, runId, step] = (typeof state === "string" && stateShape.exec(state)) || [];
  if (runId === undefined || step === undefined) return null;
  return { runId, step, approved: approvedIn(inputResponses?.approval) };
}

/** Not signed: `approve` checks what a caller may approve. */
const stateShape = /^([\w-]{1,128})\/(\w{1,64})$/;

/** A refusal outside of a tool's call has no result to stand in. */
async function orProtocolError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw error;
  }
}
