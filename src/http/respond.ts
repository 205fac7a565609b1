import type { IncomingMessage, ServerResponse } from "node:http";
import type { ProtocolResponse } from "../calls/protocol.ts";
import type { CallSeen } from "../calls/received-call.ts";
import { batchByTurn } from "../kernel/batch-by-turn.ts";
import type { Log, RequestLog } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Span } from "../kernel/tracing.ts";
import { endCallSpan } from "./call-span.ts";
import { knownCookie, sessionCookie } from "./cookies.ts";
import type { BodyBudget } from "./edge/body-budget.ts";
import { closeInStages } from "./edge/close-in-stages.ts";
import { awaitsContinue } from "./edge/expect-continue.ts";
import type { RequestMeter } from "./metrics.ts";
import { asProblem, fallbackResponse, toProblemResponse } from "./problem-response.ts";
import { commonHeaders } from "./response-headers.ts";
import { pieceBytes, writeInPieces } from "./send-in-pieces.ts";

/** What all requests of a region share. */
export interface ServerContext {
  region: Region;
  baseUrls: Record<Region, string>;
  log: Log;
  requestLog: RequestLog;
  bodies: BodyBudget;
  responses: BodyBudget;
  /** The server is stopping: each connection closes after its current response. */
  isStopping(): boolean;
}

/** One request, from its first header to its log entry. */
export interface Exchange {
  id: string;
  operation: string;
  meter: RequestMeter;
  ip: string;
  /** It changes nothing, so it can be refused even after it was served. */
  isSafe: boolean;
  seen: CallSeen;
  startedAt: number;
  request: IncomingMessage;
  response: ServerResponse;
  /** Set while requests are traced. */
  span?: Span | null;
}

type Headers = Record<string, string | string[] | number>;

/** Serves requests of one turn of the event loop together: by then a small body has arrived with its headers. */
export const serveInBatch = batchByTurn((run: () => void) => run());

export function sendJson(exchange: Exchange, server: ServerContext, body: string, status = 200): void {
  const headers: Headers = commonHeaders(exchange.id);
  headers["content-type"] = "application/json; charset=utf-8";
  const { rateLimit, replayed } = exchange.seen;
  if (rateLimit) {
    headers["ratelimit-policy"] = rateLimit.policy;
    headers.ratelimit = rateLimit.state;
  }
  if (replayed) headers["idempotency-replayed"] = "true";
  const cookies = cookiesOf(exchange.seen, server.region);
  if (cookies !== null) headers["set-cookie"] = cookies;
  write(exchange, server, status, headers, body);
}

/** The session comes first: clients look for it. */
function cookiesOf({ newSession, knownBrowser }: CallSeen, region: Region): string | string[] | null {
  const session = newSession === undefined ? null : sessionCookie(region, newSession);
  if (knownBrowser === undefined) return session;
  const known = knownCookie(region, knownBrowser);
  return session === null ? known : [session, known];
}

export function sendProblem(exchange: Exchange, server: ServerContext, error: unknown): void {
  refuse(exchange, server, error, (problem) => {
    const { status, headers, body } = toProblemResponse(problem, exchange.id, server.baseUrls, server.region);
    return { status, headers: { "content-type": "application/problem+json", ...headers }, body };
  });
}

/**
 * Refuses a call in the form of its protocol. It cannot fail: if creating, writing or logging the refusal throws, the
 * caller gets a short prepared response. If even that cannot be sent, the connection closes.
 */
export function refuse(
  exchange: Exchange,
  server: ServerContext,
  error: unknown,
  inForm: (problem: Problem) => ProtocolResponse,
): void {
  try {
    const problem = asProblem(error);
    exchange.seen.problem = problem.code;
    logCause(server.log, exchange.id, exchange.operation, problem);
    sendResponse(exchange, server, inForm(problem));
  } catch (failure) {
    if (failure instanceof NoMemory) refuse(exchange, server, failure.problem, inForm);
    else sendFallback(exchange, server, failure);
  }
}

/** There is no memory for a long refusal. The short one that says so needs none. */
class NoMemory extends Error {
  readonly problem: unknown;

  constructor(problem: unknown) {
    super("There is no memory for a response.");
    this.problem = problem;
  }
}

function sendFallback(exchange: Exchange, server: ServerContext, failure: unknown): void {
  const { id, operation, request, response } = exchange;
  try {
    logFailedRefusal(server.log, id, operation, failure);
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { status, headers, body } = fallbackResponse(id);
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(status, { ...commonHeaders(id), ...headers, connection: "close" });
    response.end(body, () => request.destroy());
    recordResponse(exchange, server, status);
  } catch {
    // The socket is broken, and the failure itself was logged above.
    response.destroy();
  }
}

/** The log may be unable to write the error itself: then it logs the entry without it. */
export function logFailedRefusal(log: Log, requestId: string, operation: string, failure: unknown): void {
  const line = { request_id: requestId, operation };
  const said = "a refusal could not be written";
  try {
    log.error({ ...line, err: failure }, said);
  } catch {
    log.error(line, said);
  }
}

/** Sends a response in any form, with the headers of every response. */
export function sendResponse(
  exchange: Exchange,
  server: ServerContext,
  { status, headers, body }: ProtocolResponse,
): void {
  // Another response was already being sent: half a response is worse than none.
  if (exchange.response.headersSent) {
    exchange.response.destroy();
    return;
  }
  const { rateLimit } = exchange.seen;
  const limits = rateLimit ? { "ratelimit-policy": rateLimit.policy, ratelimit: rateLimit.state } : {};
  if (body instanceof ReadableStream) {
    exchange.response.writeHead(status, { ...commonHeaders(exchange.id), ...limits, ...headers });
    sendStream(exchange, server, body);
    recordResponse(exchange, server, status);
    return;
  }
  const ending = isRestSmall(exchange.request) ? {} : { connection: "close" };
  write(exchange, server, status, { ...commonHeaders(exchange.id), ...limits, ...headers, ...ending }, body);
}

function sendStream(exchange: Exchange, server: ServerContext, body: ReadableStream<Uint8Array>): void {
  const { response } = exchange;
  const reader = body.getReader();
  // The reader is gone, so nobody waits for the rest.
  response.once("close", () => void reader.cancel().catch(() => {}));
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return void response.end();
      const release = reserve(exchange, server, value.length);
      await writeInPieces(response, value).finally(release);
    }
  };
  // The client sees an incomplete response and opens the stream again.
  pump().catch((error) => {
    if (!response.destroyed) logBrokenStream(exchange, server, error);
    response.destroy();
  });
}

/** A refusal is no failure, and the client gets it when it opens the stream again. */
export function logBrokenStream({ id, operation }: Exchange, { log }: ServerContext, error: unknown): void {
  if (error instanceof Problem) return;
  log.warn({ request_id: id, operation, err: error }, "a stream ended because of a failure");
}

/** Causes go to the log, never to the caller. */
export function logCause(log: Log, requestId: string, operation: string, problem: Problem): void {
  if (problem.code === "internal") {
    log.error({ request_id: requestId, operation, code: problem.code, err: problem.cause }, "internal error");
  } else if (problem.status >= 500 && problem.cause !== undefined) {
    log.error(
      { request_id: requestId, operation, code: problem.code, err: problem.cause },
      "something that Signalbox depends on failed",
    );
  }
}

function write(
  exchange: Exchange,
  server: ServerContext,
  status: number,
  headers: Headers,
  body: string | Buffer,
): void {
  const { request, response } = exchange;
  // "A server MUST NOT send a Content-Length header field in any response with a status code of … 204", and a 304 may
  // only repeat that of the full response (RFC 9110, 8.6).
  const bytes = Buffer.byteLength(body);
  if (status !== 204 && status !== 304) headers["content-length"] = bytes;
  if (server.isStopping()) headers.connection = "close";
  const release = bytes > uncountedBytesMax ? reserveOrClose(exchange, server, bytes) : nothingHeld;
  if (!release) return;
  if (release !== nothingHeld) response.once("close", release);
  response.writeHead(status, headers);
  if (!isRestSmall(request)) closeInStages(request, response, body);
  else if (bytes <= pieceBytes) response.end(body);
  else void writeInPieces(response, Buffer.from(body)).then(() => response.end());
  recordResponse(exchange, server, status);
}

/** Each connection has one response at a time, so that the number of connections limits the memory of these. */
const uncountedBytesMax = 16 * 1024;

const nothingHeld = (): void => {};

/** Reserves memory until a response is sent. Refuses with the problem of the budget. */
function reserve(exchange: Exchange, { responses }: ServerContext, bytes: number): () => void {
  // Nothing is kept for a reader who has left.
  if (bytes <= uncountedBytesMax || exchange.response.destroyed) return nothingHeld;
  const { organizationId } = exchange.seen;
  return responses.take(
    organizationId === undefined ? { address: exchange.ip } : { organization: organizationId },
    bytes,
  );
}

/**
 * A call that changed something cannot be refused any more: its connection closes, as if the response got lost on its way. The
 * caller repeats it with the same `Idempotency-Key`, or looks.
 */
function reserveOrClose(exchange: Exchange, server: ServerContext, bytes: number): (() => void) | null {
  try {
    return reserve(exchange, server, bytes);
  } catch (error) {
    const { id, operation, isSafe, response, seen } = exchange;
    if (seen.problem !== undefined) throw new NoMemory(error);
    if (isSafe || seen.replayed) throw error;
    server.log.warn({ request_id: id, operation, bytes }, "a response found no memory, and its connection was closed");
    response.destroy();
    return null;
  }
}

const shortBytesMax = 64 * 1024;

/**
 * The rest of an unwanted body is not awaited, unless reading it is cheaper than a new connection. Many clients send
 * headers and body one after the other, so a response often overtakes the body.
 */
const isRestSmall = (request: IncomingMessage): boolean =>
  request.complete ||
  request.readableEnded ||
  (Number(request.headers["content-length"]) <= shortBytesMax && !awaitsContinue(request));

/** Writes one log entry and updates the metrics. */
export function recordResponse(exchange: Exchange, server: ServerContext, status: number): void {
  const { seen, meter } = exchange;
  const milliseconds = performance.now() - exchange.startedAt;
  meter.observe(status, milliseconds / 1000);
  server.requestLog({
    request_id: exchange.id,
    region: server.region,
    operation: exchange.operation,
    status,
    code: seen.problem,
    ms: Math.round(milliseconds * 100) / 100,
    user_id: seen.userId,
    key_id: seen.keyId,
    project_id: seen.projectId,
    ip: exchange.ip,
    trace_id: exchange.span?.traceId,
  });
  if (exchange.span) endCallSpan(exchange, server.region, status);
}
