import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallSeen } from "../api/call.ts";
import type { FaceAnswer } from "../api/face.ts";
import type { Log, RequestLog } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { together } from "../kernel/together.ts";
import { knownCookie, sessionCookie } from "./cookies.ts";
import type { RequestMeter } from "./metrics.ts";
import { asProblem, toAnswer } from "./problems.ts";
import { contractVersion } from "./version.ts";

/** What all exchanges of a region share. */
export interface Counter {
  region: Region;
  baseUrls: Record<Region, string>;
  log: Log;
  requestLog: RequestLog;
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

/** On every answer, whatever made it. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "signalbox-version": contractVersion,
});

/** The body as text, or a Problem where it is larger than allowed or breaks off. */
export const readText = (request: IncomingMessage, bytesMax: number): Promise<string> =>
  readWhole(request, bytesMax, (bytes) => {
    const text = bytes.toString();
    // "JSON text … MUST be encoded using UTF-8" (RFC 8259, 8.1). What is not leaves this character, which may also be meant.
    if (text.includes("\ufffd") && !isUtf8(bytes)) throw new Problem("malformed_request", "The body is not UTF-8.");
    return text;
  });

/** The same, as the bytes that came. */
export const readBytes = (request: IncomingMessage, bytesMax: number): Promise<Buffer> =>
  readWhole(request, bytesMax, (bytes) => bytes);

const goOnTogether = together((goOn: () => void) => goOn());

function readWhole<T>(request: IncomingMessage, bytesMax: number, read: (bytes: Buffer) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) reject(new Problem("payload_too_large"));
      else chunks.push(chunk);
    });
    const goOn = () => {
      const [first, second] = chunks;
      try {
        resolve(read(first && !second ? first : Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    };
    request.on("end", () => goOnTogether(goOn));
    request.on("error", () => reject(new Problem("malformed_request", "The body breaks off.")));
  });
}

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
  const problem = asProblem(error);
  logCause(counter.log, exchange.id, exchange.operation, problem);
  const { status, headers, body } = toAnswer(problem, exchange.id, counter.baseUrls, counter.region);
  answerAs(exchange, counter, { status, headers: { "content-type": "application/problem+json", ...headers }, body });
}

/** An answer in whatever form, a refusal above all, with what every answer carries. */
export function answerAs(exchange: Exchange, counter: Counter, { status, headers, body }: FaceAnswer): void {
  // Something failed while another answer was already on its way: half an answer is worse than none.
  if (exchange.response.headersSent) {
    exchange.response.destroy();
    return;
  }
  const { rateLimit } = exchange.seen;
  const limits = rateLimit ? { "ratelimit-policy": rateLimit.policy, ratelimit: rateLimit.state } : {};
  // What is left of a body that nobody wants is not waited for.
  const ending = exchange.request.complete ? {} : { connection: "close" };
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

function write(exchange: Exchange, counter: Counter, status: number, headers: Headers, body: string): void {
  const { request, response, seen, meter } = exchange;
  // "A server MUST NOT send a Content-Length header field in any response with a status code of … 204" (RFC 9110, 8.6).
  if (status !== 204) headers["content-length"] = Buffer.byteLength(body);
  if (counter.isStopping()) headers.connection = "close";
  response.writeHead(status, headers);
  if (request.complete || request.readableEnded) response.end(body);
  else closeInStages(request, response, body);
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
function closeInStages(request: IncomingMessage, response: ServerResponse, body: string): void {
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
