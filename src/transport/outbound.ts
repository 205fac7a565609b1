import { mark, type Work } from "../kernel/loop-watch.ts";
import { type Span, startChild } from "../kernel/tracing.ts";
import type { Answer } from "../systems/work.ts";
import { AddressBlocked, isAddressRefused, notCalled } from "./address-guard.ts";
import { callCapacity, createCapacity, largeAnswerCapacity, type Release } from "./capacity.ts";
import { refuseTarget } from "./check-target.ts";
import { sentHeaders } from "./headers.ts";
import {
  type AnswerMemory,
  createReservedAnswer,
  createSlottedAnswer,
  type LargeAnswer,
} from "./memory-of-large-answers.ts";
import { createPools, type PoolOptions } from "./pools.ts";
import type { Principal } from "./private-hosts.ts";
import { answerBytesMax, readAnswer } from "./read-answer.ts";
import { isRedirect, nextTarget } from "./redirect-rules.ts";
import { SendFailed } from "./send-failed.ts";
import { sendRequest, type WireRequest } from "./send-over-connection.ts";

export { CapacityExhausted, type Release } from "./capacity.ts";
export type { AnswerMemory } from "./memory-of-large-answers.ts";
export { SendFailed, type SendFailure, TooLate } from "./send-failed.ts";

/** Every request to another system leaves through this file. */

export interface OutboundRequest {
  /** `https://host[:port]`: chosen by us, never by a caller. */
  origin: string;
  method: string;
  /** Path and query, encoded; starts with exactly one slash. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** For the whole call; default 60,000. */
  totalMilliseconds?: number;
  /** Until the headers arrive; default 15,000. */
  headersMilliseconds?: number;
  /** Maximum of the body, before and after decompression; default 10 MiB. */
  bytesMax?: number;
  /** Return after the headers, without the body. */
  isHeadersOnly?: boolean;
  signal?: AbortSignal;
  /**
   * Whether the request may still be sent. Called when the connection is open and nothing is written. If false, the
   * call fails with TooLate.
   */
  mayBegin?: () => boolean;
  /**
   * The tenant and account that the request is for. Private addresses may be open to some organizations only, and
   * sandboxes to their own accounts. Each organization has its own connections.
   */
  principal?: Principal;
  /** The credential in the request. It is removed from the answer if the system repeats it. */
  secret?: string;
  /**
   * Follow redirects within the origin (default), return them as answers to a caller that checks and counts each hop,
   * or refuse them.
   */
  redirects?: "follow" | "return" | "refuse";
  /** Where the caller counts large answers, which it keeps. Others take one of the organization's few slots. */
  memory?: AnswerMemory | undefined;
  /** Names the work for the event-loop watch while the answer is read. */
  work?: Work;
}

export interface Outbound {
  /** Returns the system's answer with any status. Throws SendFailed without an answer. */
  send(request: OutboundRequest): Promise<Answer>;
  /**
   * Takes a slot among the calls that an organization has under way in this process. A caller takes one before it
   * sends.
   */
  acquire(organizationId: string, milliseconds: number): Release | Promise<Release>;
  /** Waits for the calls under way. */
  close(): Promise<void>;
}

export interface OutboundOptions extends PoolOptions {
  /** Between two chunks of a body; default 15,000. */
  bodyIdleMilliseconds?: number;
  /** Receives every refused address, with details that the caller does not get. */
  onRefused?(refused: RefusedAddress): void;
}

/** For the operator's log. */
export interface RefusedAddress {
  origin: string;
  organizationId: string | undefined;
  detail: string;
}

export function createOutbound(options: OutboundOptions): Outbound {
  const pools = createPools(options);
  const calls = createCapacity(callCapacity);
  const largeAnswers = createCapacity(largeAnswerCapacity);
  const bodyIdleMilliseconds = options.bodyIdleMilliseconds ?? 15_000;

  async function send(request: OutboundRequest): Promise<Answer> {
    const { origin, method, principal, redirects = "follow", secret } = request;
    let answer: LargeAnswer | null = null;
    let isRead = false;
    let failure: string | undefined = "failed";
    const span = startChild(method, "client");
    try {
      const pool = pools.poolFor(origin, principal);
      const refused = refuseTarget(origin, request.target);
      if (refused) throw new SendFailed("blocked", "no", refused);
      const wire = toWireRequest(request, bodyIdleMilliseconds);
      if (span) continueTrace(span, request, wire);
      const tenant = principal?.organizationId;
      if (tenant !== undefined) {
        wire.onLarge = (bytes) => {
          answer ??= request.memory
            ? createReservedAnswer(request.memory)
            : createSlottedAnswer(largeAnswers, tenant, wire.totalMilliseconds);
          return answer.take(bytes);
        };
      }
      const deadline = performance.now() + wire.totalMilliseconds;
      let received = await sendRequest(pool, wire);
      for (let hops = 1; redirects !== "return" && isRedirect(received); hops++) {
        const from = { origin, method, target: wire.target };
        wire.target = nextTarget(from, received.headers, redirects === "follow" ? hops : null);
        wire.totalMilliseconds = Math.max(1, deadline - performance.now());
        received = await sendRequest(pools.poolFor(origin, principal), wire).catch(afterRedirect);
      }
      if (request.work) mark("a system's response", request.work);
      const read = readAnswer(received, wire, secret);
      const complete = read instanceof Promise ? await read : read;
      isRead = true;
      span?.set({ "http.response.status_code": received.status });
      failure = received.status >= 400 ? String(received.status) : undefined;
      return complete;
    } catch (error) {
      if (error instanceof SendFailed) failure = error.reason.replaceAll(" ", "_");
      throw isAddressRefused(error) ? refusal(request, error) : error;
    } finally {
      (answer as LargeAnswer | null)?.end(isRead);
      span?.end(failure);
    }
  }

  /** How a typed address fails must not show whether a name exists in our network. */
  function refusal({ origin, principal }: OutboundRequest, error: unknown): unknown {
    options.onRefused?.({ origin, organizationId: principal?.organizationId, detail: detailOf(error) });
    if (principal?.instance !== "custom") return error;
    return new SendFailed("blocked", "no", notCalled, { cause: error });
  }

  return { send, acquire: calls.acquire, close: () => pools.close() };
}

/** The system may continue the trace. Path and query are the caller's, so the span names the host alone. */
function continueTrace(span: Span, { origin, method }: OutboundRequest, { headers }: WireRequest): void {
  const { hostname, port, protocol } = new URL(origin);
  span.set({
    "http.request.method": method,
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
  });
  if (headers.includes("traceparent")) return;
  headers.push("traceparent", span.traceparent);
  if (span.tracestate) headers.push("tracestate", span.tracestate);
}

/** Adds a principal to every request. */
export const onBehalfOf = (principal: Principal, outbound: Outbound): Outbound => ({
  ...outbound,
  send: (request) => outbound.send({ principal, ...request }),
});

function detailOf(error: unknown): string {
  const { cause } = error as SendFailed;
  if (cause instanceof AddressBlocked) return cause.detail;
  return cause instanceof Error ? cause.message : "its name is not known";
}

function toWireRequest(request: OutboundRequest, bodyIdleMilliseconds: number): WireRequest {
  const headers = sentHeaders(request.headers);
  if (headers === null) throw new SendFailed("blocked", "no", "The request sets a header that Signalbox never sends.");
  return {
    method: request.method,
    target: request.target,
    headers,
    body: request.body ?? null,
    totalMilliseconds: request.totalMilliseconds ?? 60_000,
    headersMilliseconds: request.headersMilliseconds ?? 15_000,
    bodyIdleMilliseconds,
    bytesMax: request.bytesMax ?? answerBytesMax,
    isHeadersOnly: request.isHeadersOnly,
    signal: request.signal,
    mayBegin: request.mayBegin,
  };
}

/** The first request reached the system, so no later hop may report that nothing was sent. */
function afterRedirect(error: unknown): never {
  if (error instanceof SendFailed) throw new SendFailed(error.reason, "maybe", error.message, { cause: error.cause });
  throw error;
}
