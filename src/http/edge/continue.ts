import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * "Expect: 100-continue" asks whether the body is wanted at all (RFC 9110, 10.1.1). It is told to come when somebody is about
 * to read it, which is after the caller is known and allowed; a call that is refused before is refused without its body.
 */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Node would tell every body to come as soon as its headers are there. */
export function keepWaiting(server: Server): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit("request", request, response);
  });
}

export function goAhead(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (!response || !waiting.delete(request) || response.headersSent) return;
  response.writeContinue();
}

/** Whoever still waits may send its body or not: nobody can tell where the next request on this connection begins. */
export const isWaiting = (request: IncomingMessage): boolean => waiting.has(request);
