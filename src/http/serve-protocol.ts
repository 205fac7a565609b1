import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Protocol } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { serveInSpan } from "./call-span.ts";
import { refuseRepeatedAuthorization, refuseTooLarge } from "./edge/refuse-request.ts";
import { textOf } from "./edge/request-body.ts";
import type { Metrics, RequestMeter } from "./metrics.ts";
import { type Exchange, refuse, type ServerContext, sendResponse, serveInBatch } from "./respond.ts";

/** Passes every request below a protocol's prefix to it. Counts and logs it like all other requests. */
export function serveProtocol(
  app: FastifyInstance,
  protocol: Protocol,
  context: RegionContext,
  server: ServerContext,
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
        serveInBatch(() => serveInSpan(exchange, exchange.operation, () => take(protocol, exchange, context, server)));
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
    isSafe: raw.method === "GET" || raw.method === "HEAD",
    seen: { operation },
    startedAt: performance.now(),
    request: raw,
    response: reply.raw,
  };
}

async function take(
  protocol: Protocol,
  exchange: Exchange,
  context: RegionContext,
  server: ServerContext,
): Promise<void> {
  const { request, response, seen } = exchange;
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const body = textOf(request, protocol.bodyBytesMax, server.bodies);
  try {
    refuseTooLarge(request, protocol.bodyBytesMax);
    refuseRepeatedAuthorization(request);
    context.store.shareReads();
    const answer = await protocol.respond({
      method: request.method ?? "",
      url: request.url ?? "",
      authorization: request.headers.authorization,
      contentType: request.headers["content-type"] ?? "",
      ifMatch: request.headers["if-match"],
      ifNoneMatch: request.headers["if-none-match"],
      header: (name) => headerOf(request, name),
      body,
      gone: gone.signal,
      requestId: exchange.id,
      ip: exchange.ip,
      seen,
    });
    sendResponse(exchange, server, answer);
  } catch (error) {
    refuse(exchange, server, error, protocol.refuse);
  } finally {
    body.release();
  }
}

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
};
