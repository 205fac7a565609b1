import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "./clock.ts";

/** A call as a sandbox sees it, its body read whole. */
export interface SandboxCall {
  method: string;
  /** Without the query, as sent (not decoded). */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** The raw bytes; empty where there was no body. */
  body: Buffer;
  raw: IncomingMessage;
}

/** What it answers. A body that is not text or bytes is sent as JSON. */
export interface SandboxAnswer {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  /** Who called, for the request log: a client id, a user, a token's owner. */
  identity?: string | null;
  /** Takes over the connection, for streams and for libraries that write by themselves; `status` is only logged then. */
  stream?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** One external system, played. */
export interface Sandbox {
  /** Its id in `src/systems/index.ts`. */
  system: string;
  clock: Clock;
  /** A call came in, before any fault holds it up; the returned function runs once the call is over. For limits on calls in flight. */
  arrive?(call: SandboxCall): () => void;
  /** The system's own API. Must answer every path, with the vendor's own error where there is nothing. */
  handle(call: SandboxCall): SandboxAnswer | Promise<SandboxAnswer>;
  /** Answers some paths with the connection itself, its body still unread: for a library that is a server of its own. */
  takeOver?(method: string, path: string): ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /** The answer of GET /_sandbox without `system`: credentials, ids, limits. */
  describe(): { credentials: object; ids: object; limits: object };
  /** Records back to the seed and limits to their defaults. Listed credentials and standing grants keep working. */
  reset(): void;
  /** Overrides limits by name; answers what is wrong with them, or null. */
  setLimits(limits: Record<string, unknown>): string | null;
  /** Ends timers and connections of its own. */
  stop(): void;
}

/** Made once its address is known, because links and endpoints in answers name it. */
export type CreateSandbox = (baseUrl: string) => Sandbox;
