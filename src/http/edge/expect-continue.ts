import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * "Expect: 100-continue" asks whether the server wants the body (RFC 9110, 10.1.1). We send 100 when the body is about
 * to be read, after the caller is authenticated and authorized. A call that is refused earlier is refused without its
 * body.
 */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** By default Node sends 100 as soon as the headers have arrived. */
export function holdContinue(server: Server): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit("request", request, response);
  });
}

export function sendContinue(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (!response || !waiting.delete(request) || response.headersSent) return;
  response.writeContinue();
}

/**
 * A client that still waits may send its body or not, so nothing tells where the next request on this connection
 * starts.
 */
export const awaitsContinue = (request: IncomingMessage): boolean => waiting.has(request);
