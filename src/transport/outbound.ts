import { mark, type Work } from "../kernel/loop-watch.ts";
import type { Answer } from "../systems/work.ts";
import { AddressBlocked, isAddressRefused, notCalled } from "./address-guard.ts";
import { callCapacity, createCapacity, largeAnswerCapacity, type Release } from "./capacity.ts";
import { exchange, type Question } from "./exchange.ts";
import { sentHeaders } from "./headers.ts";
import { createLargeAnswer, growsWhenUnpacked, type LargeAnswer } from "./large-answer.ts";
import { createPools, type PoolOptions } from "./pools.ts";
import type { Principal } from "./private-hosts.ts";
import { answerBytesMax, readAnswer } from "./read-answer.ts";
import { isRedirect, nextTarget } from "./redirects.ts";
import { SendFailed } from "./send-failed.ts";
import { refuseTarget } from "./target.ts";

export { CapacityExhausted, type Release } from "./capacity.ts";
export { SendFailed, type SendFailure, TooLate } from "./send-failed.ts";

/** The one way out: every request to another system leaves here. */

export interface OutboundRequest {
  /** `https://host[:port]`: decided by us, never by a caller. */
  origin: string;
  method: string;
  /** Path and query, encoded; begins with exactly one slash. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Default 60,000, in all. */
  totalMilliseconds?: number;
  /** Until the answer begins; default 15,000. */
  headersMilliseconds?: number;
  /** Of the answer, before and after it is decompressed; ten megabytes unless told. */
  bytesMax?: number;
  /** The answer is there with its headers, and without its body, whatever that is. */
  isHeadEnough?: boolean;
  signal?: AbortSignal;
  /** Whether it may still be sent, asked when the connection is there and not a byte is written. Otherwise it fails with TooLate. */
  mayBegin?: () => boolean;
  /**
   * On whose behalf: private addresses may be open to some organizations, and the sandboxes are open to their accounts. Each
   * organization has connections of its own.
   */
  principal?: Principal;
  /** The credential that it carries: it is not in the answer, whatever the system repeats. */
  secret?: string;
  /**
   * What becomes of a redirect: followed within the origin, as is the rule; handed over as the answer that it is, to whoever
   * judges and counts it; or refused.
   */
  redirects?: "follow" | "hand over" | "refuse";
  /** For whom it is, so that the watch of the event loop knows whose answer is read. */
  work?: Work;
}

export interface Outbound {
  /** What the system answered, whatever its status. Throws SendFailed where there is no answer. */
  send(request: OutboundRequest): Promise<Answer>;
  /** Takes a slot among the calls that an organization has under way in this process. A caller acquires one before it sends. */
  acquire(organizationId: string, milliseconds: number): Release | Promise<Release>;
  /** Finishes what is under way. */
  close(): Promise<void>;
}

export interface OutboundOptions extends PoolOptions {
  /** Between two parts of an answer; default 15,000. */
  bodyIdleMilliseconds?: number;
  /** Hears of every address that was refused, with what nobody else is told. */
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
    try {
      const pool = pools.take(origin, principal);
      const refused = refuseTarget(origin, request.target);
      if (refused) throw new SendFailed("blocked", "no", refused);
      const question = toQuestion(request, bodyIdleMilliseconds);
      const tenant = principal?.organizationId;
      if (tenant !== undefined) {
        question.onLarge = (controller) => {
          answer ??= createLargeAnswer(largeAnswers, tenant, question.totalMilliseconds);
          answer.onLarge(controller);
        };
      }
      const deadline = performance.now() + question.totalMilliseconds;
      let received = await exchange(pool, question);
      for (let hops = 1; redirects !== "hand over" && isRedirect(received); hops++) {
        const from = { origin, method, target: question.target };
        question.target = nextTarget(from, received.headers, redirects === "follow" ? hops : null);
        question.totalMilliseconds = Math.max(1, deadline - performance.now());
        received = await exchange(pools.take(origin, principal), question).catch(afterRedirect);
      }
      if (request.work) mark("a system's answer", request.work);
      if (tenant !== undefined && growsWhenUnpacked(received)) {
        answer ??= createLargeAnswer(largeAnswers, tenant, question.totalMilliseconds);
        await answer.beforeUnpacking();
      }
      const read = readAnswer(received, question.bytesMax, secret);
      return read instanceof Promise ? await read : read;
    } catch (error) {
      throw isAddressRefused(error) ? refusal(request, error) : error;
    } finally {
      (answer as LargeAnswer | null)?.end();
    }
  }

  /** An address that somebody typed must not show by how it fails whether a name in our network exists. */
  function refusal({ origin, principal }: OutboundRequest, error: unknown): unknown {
    options.onRefused?.({ origin, organizationId: principal?.organizationId, detail: detailOf(error) });
    if (principal?.instance !== "custom") return error;
    return new SendFailed("blocked", "no", notCalled, { cause: error });
  }

  return { send, acquire: calls.acquire, close: () => pools.close() };
}

/** The same way out, on somebody's behalf. */
export const onBehalfOf = (principal: Principal, outbound: Outbound): Outbound => ({
  ...outbound,
  send: (request) => outbound.send({ principal, ...request }),
});

function detailOf(error: unknown): string {
  const { cause } = error as SendFailed;
  if (cause instanceof AddressBlocked) return cause.detail;
  return cause instanceof Error ? cause.message : "its name is not known";
}

function toQuestion(request: OutboundRequest, bodyIdleMilliseconds: number): Question {
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
    isHeadEnough: request.isHeadEnough,
    signal: request.signal,
    mayBegin: request.mayBegin,
  };
}

/** The first request did reach the system, so none that follows it can say that nothing did. */
function afterRedirect(error: unknown): never {
  if (error instanceof SendFailed) throw new SendFailed(error.reason, "maybe", error.message, { cause: error.cause });
  throw error;
}
