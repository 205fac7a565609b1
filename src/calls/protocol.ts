import type { Problem } from "../kernel/problem.ts";
import type { CallBody, CallSeen } from "./received-call.ts";

/** A request to a protocol with its own responses, such as SCIM or MCP. */
export interface ProtocolRequest {
  method: string;
  /** The raw path and query. */
  url: string;
  authorization: string | undefined;
  contentType: string;
  /** The raw preconditions. */
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  /** Any other header, by its name in lower case; several of one name are one, with commas. */
  header(name: string): string | undefined;
  body: CallBody;
  /** Aborted when the client disconnects before the response is complete. */
  gone: AbortSignal;
  requestId: string;
  ip: string;
  /** Filled in while the request is served, for the log and the headers. */
  seen: CallSeen;
}

export interface ProtocolResponse {
  status: number;
  headers: Record<string, string>;
  /** A buffer where the body is large and was encoded in slices; a stream where it comes bit by bit. */
  body: string | Buffer | ReadableStream<Uint8Array>;
}

/** A protocol with its own responses and errors. The server mounts it under its prefix. */
export interface Protocol {
  /** Every path below it belongs to the protocol. */
  prefix: `/${string}`;
  bodyBytesMax: number;
  /** The names under which its requests are counted and logged, and which of them a request gets. */
  operations: readonly string[];
  operationOf(url: string): string;
  /** Throws a Problem, or an error of the store, for what it does not turn into a response itself. */
  respond(request: ProtocolRequest): Promise<ProtocolResponse>;
  refuse(problem: Problem): ProtocolResponse;
}
