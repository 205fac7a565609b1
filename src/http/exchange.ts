import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallSeen } from "../calls/call.ts";
import type { ProtocolResponse } from "../calls/protocol.ts";
import type { Log, RequestLog } from "../kernel/log.ts";
import type { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { together } from "../kernel/together.ts";
import { knownCookie, sessionCookie } from "./cookies.ts";
import type { BodyRoom } from "./edge/body-budget.ts";
import { isWaiting } from "./edge/continue.ts";
import type { RequestMeter } from "./metrics.ts";
import { asProblem, lastAnswer, toAnswer } from "./problems.ts";
import { contractVersion } from "./version.ts";

/** What all exchanges of a region share. */
export interface Counter {
  region: Region;
  baseUrls: Record<Region, string>;
  log: Log;
  requestLog: RequestLog;
  bodies: BodyRoom;
  /** The server takes no more calls: connections end with the answer they wait for. */
  isStopping(): boolean;
}

/** One request to an operation, from its first header to the line in the log. */
export interface Exchange {
  id: string;
  operation: string;
  meter: RequestMeter;
  ip: string;
  seen: CallSeen;
  startedAt: number;
  request: IncomingMessage;
  response: ServerResponse;
}

type Headers = Record<string, string | string[] | number>;

/** Serves together what arrived in one turn of the event loop: by then a small body has arrived with its headers. */
export const serveNextTurn = together((goOn: () => void) => goOn());

/** Headers of every answer. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "signalbox-version": contractVersion,
});

export function answerJson(exchange: Exchange, counter: Counter, body: string, status = 200): void {
  const headers: Headers = commonHeaders(exchange.id);
  headers["content-type"] = "application/json; charset=utf-8";
  const { rateLimit, replayed } = exchange.seen;
  if (rateLimit) {
    headers["ratelimit-policy"] = rateLimit.policy;
    headers.ratelimit = rateLimit.state;
  }
  if (replayed) headers["idempotency-replayed"] = "true";
  const cookies = cookiesOf(exchange.seen, counter.region);
  if (cookies !== null) headers["set-cookie"] = cookies;
  write(exchange, counter, status, headers, body);
}

/** The session first: it is what callers look for. */
function cookiesOf({ newSession, knownBrowser }: CallSeen, region: Region): string | string[] | null {
  const session = newSession === undefined ? null : sessionCookie(region, newSession);
  if (knownBrowser === undefined) return session;
  const known = knownCookie(region, knownBrowser);
  return session === null ? known : [session, known];
}

export function answerProblem(exchange: Exchange, counter: Counter, error: unknown): void {
  refuse(exchange, counter, error, (problem) => {
    const { status, headers, body } = toAnswer(problem, exchange.id, counter.baseUrls, counter.region);
    return { status, headers: { "content-type": "application/problem+json", ...headers }, body };
  });
}

/**
 * The last word on a call, in the form of its protocol. It cannot fail: whatever is thrown while the refusal is made, written or logged
 * ends as a short answer that was ready before, or as a closed connection where even that cannot be sent.
 */
export function refuse(
  exchange: Exchange,
  counter: Counter,
  error: unknown,
  inForm: (problem: Problem) => ProtocolResponse,
): void {
  try {
    const problem = asProblem(error);
    logCause(counter.log, exchange.id, exchange.operation, problem);
    answerAs(exchange, counter, inForm(problem));
  } catch (failure) {
    answerPlainly(exchange, counter, failure);
  }
}

function answerPlainly(exchange: Exchange, counter: Counter, failure: unknown): void {
  const { id, operation, request, response } = exchange;
  try {
    logFailedRefusal(counter.log, id, operation, failure);
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { status, headers, body } = lastAnswer(id);
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(status, { ...commonHeaders(id), ...headers, connection: "close" });
    response.end(body, () => request.destroy());
    noteAnswer(exchange, counter, status);
  } catch {
    response.destroy();
  }
}

/** The error itself may be what the log cannot write: then the line goes without it. */
export function logFailedRefusal(log: Log, requestId: string, operation: string, failure: unknown): void {
  const line = { request_id: requestId, operation };
  const said = "a refusal could not be written";
  try {
    log.error({ ...line, err: failure }, said);
  } catch {
    log.error(line, said);
  }
}

/** An answer in whatever form, a refusal above all, with what every answer carries. */
export function answerAs(exchange: Exchange, counter: Counter, { status, headers, body }: ProtocolResponse): void {
  // Something failed while another answer was already on its way: half an answer is worse than none.
  if (exchange.response.headersSent) {
    exchange.response.destroy();
    return;
  }
  const { rateLimit } = exchange.seen;
  const limits = rateLimit ? { "ratelimit-policy": rateLimit.policy, ratelimit: rateLimit.state } : {};
  const ending = isRestShort(exchange.request) ? {} : { connection: "close" };
  write(exchange, counter, status, { ...commonHeaders(exchange.id), ...limits, ...headers, ...ending }, body);
}

/** Causes go to the log, never to the caller. */
export function logCause(log: Log, requestId: string, operation: string, problem: Problem): void {
  if (problem.code === "internal") {
    log.error({ request_id: requestId, operation, err: problem.cause }, "internal error");
  } else if (problem.status >= 500 && problem.cause !== undefined) {
    log.error(
      { request_id: requestId, operation, code: problem.code, err: problem.cause },
      "something that Signalbox depends on failed",
    );
  }
}

function write(exchange: Exchange, counter: Counter, status: number, headers: Headers, body: string | Buffer): void {
  const { request, response } = exchange;
  // "A server MUST NOT send a Content-Length header field in any response with a status code of … 204", and in a 304 only that
  // of the answer it stands for (RFC 9110, 8.6).
  if (status !== 204 && status !== 304) headers["content-length"] = Buffer.byteLength(body);
  if (counter.isStopping()) headers.connection = "close";
  response.writeHead(status, headers);
  if (isRestShort(request)) response.end(body);
  else closeInStages(request, response, body);
  noteAnswer(exchange, counter, status);
}

const shortBytesMax = 64 * 1024;

/**
 * What is left of a body that nobody wants is not waited for, unless it is so little that reading it over is cheaper than a new
 * connection. Many clients send headers and body one after the other: an answer often overtakes the body.
 */
const isRestShort = (request: IncomingMessage): boolean =>
  request.complete ||
  request.readableEnded ||
  (Number(request.headers["content-length"]) <= shortBytesMax && !isWaiting(request));

/** One line in the log, and one more in the metrics. */
function noteAnswer(exchange: Exchange, counter: Counter, status: number): void {
  const { seen, meter } = exchange;
  const milliseconds = performance.now() - exchange.startedAt;
  meter.observe(status, milliseconds / 1000);
  counter.requestLog({
    request_id: exchange.id,
    region: counter.region,
    operation: exchange.operation,
    status,
    ms: Math.round(milliseconds * 100) / 100,
    user_id: seen.userId,
    key_id: seen.keyId,
    project_id: seen.projectId,
    ip: exchange.ip,
  });
}

const restBytesMax = 64 * 1024 * 1024;
const silenceMilliseconds = 1_000;

/**
 * "If a server performs an immediate close of a TCP connection, there is a significant risk that the client will not be able
 * to read the last HTTP response" (RFC 9112, 9.6). So the answer is sent at once, what still comes of the body is thrown
 * away, and the connection ends with it, or where it stops coming.
 */
function closeInStages(request: IncomingMessage, response: ServerResponse, body: string | Buffer): void {
  response.once("finish", () => request.destroy());
  response.write(body);
  let bytes = 0;
  const silence = setTimeout(end, silenceMilliseconds);
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > restBytesMax) end();
    else silence.refresh();
  });
  request.once("close", end);
  request.once("end", end);
  function end(): void {
    clearTimeout(silence);
    if (!response.writableEnded) response.end();
  }
}
