import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RegionContext } from "../calls/call.ts";
import type { Protocol } from "../calls/protocol.ts";
import { textOf } from "./edge/bodies.ts";
import { refuseTooLarge, refuseTwoCallers } from "./edge/refuse-request.ts";
import { answerAs, type Counter, type Exchange, refuse, serveNextTurn } from "./exchange.ts";
import type { Metrics, RequestMeter } from "./metrics.ts";

/** Passes every request below a protocol's prefix to it. Counts and logs it like all other requests. */
export function serveProtocol(
  app: FastifyInstance,
  protocol: Protocol,
  context: RegionContext,
  counter: Counter,
  metrics: Metrics,
): void {
  const meters = new Map(protocol.operations.map((name) => [name, metrics.meterFor(context.region, name)]));
  for (const url of [protocol.prefix, `${protocol.prefix}/*`]) {
    app.route({
      method: app.supportedMethods,
      url,
      onRequest: (request, reply) => {
        reply.hijack();
        const exchange = exchangeOf(protocol, meters, request, reply);
        serveNextTurn(() => void take(protocol, exchange, context, counter));
      },
      handler: () => {
        throw new Error("A protocol's request was left to the framework.");
      },
    });
  }
}

function exchangeOf(
  protocol: Protocol,
  meters: Map<string, RequestMeter>,
  request: FastifyRequest,
  reply: FastifyReply,
): Exchange {
  const operation = protocol.operationOf(request.url);
  const meter = meters.get(operation);
  if (!meter) throw new Error(`The protocol at ${protocol.prefix} has no operation ${operation}.`);
  const { id, ip, raw } = request;
  return {
    id,
    operation,
    meter,
    ip,
    seen: { operation },
    startedAt: performance.now(),
    request: raw,
    response: reply.raw,
  };
}

async function take(protocol: Protocol, exchange: Exchange, context: RegionContext, counter: Counter): Promise<void> {
  const { request, seen } = exchange;
  const body = textOf(request, protocol.bodyBytesMax, counter.bodies);
  try {
    refuseTooLarge(request, protocol.bodyBytesMax);
    refuseTwoCallers(request);
    context.store.shareReads();
    const answer = await protocol.respond({
      method: request.method ?? "",
      url: request.url ?? "",
      authorization: request.headers.authorization,
      contentType: request.headers["content-type"] ?? "",
      ifMatch: request.headers["if-match"],
      ifNoneMatch: request.headers["if-none-match"],
      body,
      requestId: exchange.id,
      ip: exchange.ip,
      seen,
    });
    answerAs(exchange, counter, answer);
  } catch (error) {
    refuse(exchange, counter, error, protocol.refuse);
  } finally {
    body.release();
  }
}
