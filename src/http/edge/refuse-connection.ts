import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "../../kernel/problem.ts";
import { type Counter, commonHeaders, logFailedRefusal } from "../exchange.ts";
import { asProblem, lastAnswer, type ProblemAnswer, toAnswer } from "../problems.ts";
import { newRequestId } from "../request-id.ts";
import type { NotTaken } from "./connections.ts";

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
  const { id, answer } = answerTo(counter, problem);
  socket.end(asBytes(id, answer), () => socket.destroy());
  const { status } = answer;
  counter.log.info({ request_id: id, region: counter.region, status, ip: socket.remoteAddress }, "connection refused");
}

const goodbyeMilliseconds = 1_000;
const goodbyesMax = 100;
const silenceMilliseconds = 10_000;
let goodbyes = 0;
let lastTold = Number.NEGATIVE_INFINITY;

/**
 * One connection more than there may be. It is told so and has a moment to read it: closing at once, with bytes unread, would
 * take the answer with it. Where that happens to many at a time, they are closed without a word, and one line in ten seconds says so.
 */
export function refuseOneMore(counter: Counter, socket: Socket, why: NotTaken): void {
  socket.on("error", () => {});
  const now = performance.now();
  if (now - lastTold > silenceMilliseconds) {
    lastTold = now;
    const said = why === "address" ? "too many connections from one address" : "too many connections";
    counter.log.warn({ region: counter.region, ip: socket.remoteAddress }, said);
  }
  if (goodbyes >= goodbyesMax) return void socket.destroy();
  goodbyes++;
  const { id, answer } = answerTo(counter, tooMany[why]());
  const leave = setTimeout(() => socket.destroy(), goodbyeMilliseconds);
  socket.once("close", () => {
    goodbyes--;
    clearTimeout(leave);
  });
  // What it sends meanwhile is thrown away.
  socket.resume();
  socket.end(asBytes(id, answer));
}

const retryAfter = { headers: { "retry-after": "5" } };

const tooMany: Record<NotTaken, () => Problem> = {
  address: () =>
    new Problem("rate_limited", "Too many connections are open from this address.", {
      more: { "violated-policies": ["connections"] },
      ...retryAfter,
    }),
  everything: () => new Problem("unavailable", "The server has as many connections as it takes.", retryAfter),
};

function answerTo(counter: Counter, problem: Problem): { id: string; answer: ProblemAnswer } {
  const id = newRequestId();
  try {
    return { id, answer: toAnswer(problem, id, counter.baseUrls, counter.region) };
  } catch (failure) {
    logFailedRefusal(counter.log, id, "", failure);
    return { id, answer: lastAnswer(id) };
  }
}

function asBytes(id: string, { status, headers: own, body }: ProblemAnswer): string {
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
 * A whole request was received before, and its answer is on the way: whatever is written now would be taken for that.
 * Node keeps the answer in progress under this name, and looks at it for the same reason.
 */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null }): boolean {
  const answer = socket._httpMessage;
  return answer != null && (answer.headersSent || answer.req.complete);
}
