import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "../../kernel/problem.ts";
import { STATUS_CODES } from "../node-http.ts";
import { asProblem, fallbackResponse, type ProblemResponse, toProblemResponse } from "../problem-response.ts";
import { newRequestId } from "../request-id.ts";
import { logFailedRefusal, type ServerContext } from "../respond.ts";
import { commonHeaders } from "../response-headers.ts";
import type { ConnectionRefusal } from "./cap-connections.ts";

/**
 * Refuses bytes that are not a request, or that did not arrive in time, on the socket itself. The response has the
 * usual form, and the connection closes.
 */
export function refuseConnection(server: ServerContext, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const known = asProblem(error);
  const problem = known.code === "internal" ? new Problem("malformed_request", "This is not an HTTP request.") : known;
  const { id, answer } = responseTo(server, problem);
  socket.end(asBytes(id, answer), () => socket.destroy());
  const { status } = answer;
  server.log.info({ request_id: id, region: server.region, status, ip: socket.remoteAddress }, "connection refused");
}

const lingerMilliseconds = 1_000;
const lingeringMax = 100;
const silenceMillisecondsMax = 10_000;

/**
 * Refuses a connection above the limit. The client gets a response and a moment to read it: closing at once, with
 * unread bytes, would discard the response. If there are too many at a time, they close without a response; the log
 * reports that every ten seconds.
 */
export function createExcessRefusal(server: ServerContext): (socket: Socket, why: ConnectionRefusal) => void {
  let lingering = 0;
  let lastLoggedAt = Number.NEGATIVE_INFINITY;
  return (socket, why) => {
    socket.on("error", () => {});
    const now = performance.now();
    if (now - lastLoggedAt > silenceMillisecondsMax) {
      lastLoggedAt = now;
      const said = why === "address" ? "too many connections from one address" : "too many connections";
      server.log.warn({ region: server.region, ip: socket.remoteAddress }, said);
    }
    if (lingering >= lingeringMax) return void socket.destroy();
    lingering++;
    const { id, answer } = responseTo(server, tooMany[why]());
    const leave = setTimeout(() => socket.destroy(), lingerMilliseconds);
    socket.once("close", () => {
      lingering--;
      clearTimeout(leave);
    });
    // Discards what the client sends meanwhile.
    socket.resume();
    socket.end(asBytes(id, answer));
  };
}

const retryAfter = { headers: { "retry-after": "5" } };

const tooMany: Record<ConnectionRefusal, () => Problem> = {
  address: () =>
    new Problem("rate_limited", "Too many connections are open from this address.", {
      more: { "violated-policies": ["connections"] },
      ...retryAfter,
    }),
  everything: () => new Problem("unavailable", "The server has as many connections as it takes.", retryAfter),
};

function responseTo(server: ServerContext, problem: Problem): { id: string; answer: ProblemResponse } {
  const id = newRequestId();
  try {
    return { id, answer: toProblemResponse(problem, id, server.baseUrls, server.region) };
  } catch (failure) {
    logFailedRefusal(server.log, id, "", failure);
    return { id, answer: fallbackResponse(id) };
  }
}

function asBytes(id: string, { status, headers: own, body }: ProblemResponse): string {
  const headers = {
    ...commonHeaders(id),
    ...own,
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/**
 * A complete request was received, and its response is on the way: anything written now would be taken for that
 * response. Node keeps the current response under this name, and checks it for the same reason.
 */
function isResponding(socket: Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null }): boolean {
  const answer = socket._httpMessage;
  return answer != null && (answer.headersSent || answer.req.complete);
}
