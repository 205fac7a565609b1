import type { ServerResponse } from "node:http";

/**
 * A request that a client sends before it has the response to the one before is served after that one: its response would only wait
 * in memory, and "pipelined requests" that change something must not be served side by side (RFC 9112, 9.3.2).
 */
export function serveInTurn(response: ServerResponse, serve: () => void): void {
  if (response.socket === null) response.once("socket", serve);
  else serve();
}
