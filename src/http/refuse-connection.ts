import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "../kernel/problem.ts";
import { type Counter, commonHeaders } from "./exchange.ts";
import { asProblem, toAnswer } from "./problems.ts";
import { newRequestId } from "./request-id.ts";

/**
 * Bytes that are no request, or that did not arrive whole in time, never become one: they are refused on the socket
 * itself, in the same form as everything else, and the connection ends.
 */
export function refuseConnection(counter: Counter, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const known = asProblem(error);
  const problem = known.code === "internal" ? new Problem("malformed_request", "This is not an HTTP request.") : known;
  const id = newRequestId();
  const { status, body } = toAnswer(problem, id, counter.baseUrls, counter.region);
  const headers = {
    ...commonHeaders(id),
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`, () => socket.destroy());
  counter.log.info({ request_id: id, region: counter.region, status, ip: socket.remoteAddress }, "connection refused");
}

/**
 * A whole request was received before, and its answer is on the way: whatever is written now would be taken for that.
 * Node keeps the answer in progress under this name, and looks at it for the same reason.
 */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null }): boolean {
  const answer = socket._httpMessage;
  return answer != null && (answer.headersSent || answer.req.complete);
}
