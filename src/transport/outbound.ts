import type { Answer } from "../systems/define.ts";
import { AddressBlocked, addressRefused, isAddressRefused } from "./address-guard.ts";
import { exchange, type Question, type Received } from "./exchange.ts";
import { sentHeaders } from "./headers.ts";
import { createPools, type PoolOptions } from "./pools.ts";
import type { Asker } from "./private-hosts.ts";
import { answerBytesMax, readAnswer } from "./read-answer.ts";
import { SendFailed } from "./send-failed.ts";
import { refuseTarget } from "./target.ts";

export { SendFailed, type SendFailure } from "./send-failed.ts";

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
  /** On whose behalf: private addresses may be open to some organizations, and the sandboxes are open to their accounts. */
  asker?: Asker;
}

export interface Outbound {
  /** What the system answered, whatever its status. Throws SendFailed where there is no answer. */
  send(request: OutboundRequest): Promise<Answer>;
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

const redirectsMax = 3;

export function createOutbound(options: OutboundOptions): Outbound {
  const pools = createPools(options);
  const bodyIdleMilliseconds = options.bodyIdleMilliseconds ?? 15_000;

  async function send(request: OutboundRequest): Promise<Answer> {
    const { origin } = request;
    try {
      const pool = pools.take(origin, request.asker);
      const refused = refuseTarget(origin, request.target);
      if (refused) throw new SendFailed("blocked", "no", refused);
      const question = toQuestion(request, bodyIdleMilliseconds);
      const deadline = performance.now() + question.totalMilliseconds;
      const received = await exchange(pool, question);
      if (!isRedirect(received)) return readAnswer(received, question.bytesMax);
      return await follow(request, question, received, deadline);
    } catch (error) {
      throw isAddressRefused(error) ? refusal(request, error) : error;
    }
  }

  /** An address that somebody typed must not show by how it fails whether a name in our network exists. */
  function refusal({ origin, asker }: OutboundRequest, error: unknown): unknown {
    options.onRefused?.({ origin, organizationId: asker?.organizationId, detail: detailOf(error) });
    if (asker?.instance !== "custom") return error;
    return new SendFailed("blocked", "no", addressRefused("steps"), { cause: error });
  }

  /** "Same-origin redirects may be followed at most 3 times for GET only"; to any other, no credential is ever sent. */
  async function follow(
    request: OutboundRequest,
    question: Question,
    first: Received,
    deadline: number,
  ): Promise<Answer> {
    let received = first;
    for (let hops = 1; isRedirect(received); hops++) {
      question.target = nextTarget(request, question.target, received, hops);
      question.totalMilliseconds = Math.max(1, deadline - performance.now());
      received = await exchange(pools.take(request.origin, request.asker), question).catch(afterRedirect);
    }
    return readAnswer(received, question.bytesMax);
  }

  return { send, close: () => pools.close() };
}

/** The same way out, on somebody's behalf. */
export const onBehalfOf = (asker: Asker, outbound: Outbound): Outbound => ({
  ...outbound,
  send: (request) => outbound.send({ asker, ...request }),
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
  };
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const isRedirect = ({ status, headers }: Received): boolean =>
  redirectStatuses.has(status) && typeof headers.location === "string";

/** Says where a redirect led no further than its origin: paths and queries of such addresses often hold credentials. */
function nextTarget(request: OutboundRequest, target: string, received: Received, hops: number): string {
  const { origin, method } = request;
  const url = URL.parse(String(received.headers.location), `${origin}${target}`);
  const stop = (why: string) => new SendFailed("redirected", "maybe", why);
  if (url === null) throw stop("The system redirects to something that is no address.");
  if (url.origin !== origin || url.username || url.password)
    throw stop(`The system redirects to ${url.origin}, which is another address.`);
  if (method !== "GET") throw stop(`The system redirects a ${method}, which is not followed.`);
  if (hops > redirectsMax) throw stop(`The system redirects more than ${redirectsMax} times.`);
  const next = `${url.pathname}${url.search}`;
  if (refuseTarget(origin, next)) throw stop("The system redirects to a path that cannot be called.");
  return next;
}

/** The first request did reach the system, so none that follows it can say that nothing did. */
function afterRedirect(error: unknown): never {
  if (error instanceof SendFailed) throw new SendFailed(error.reason, "maybe", error.message, { cause: error.cause });
  throw error;
}
