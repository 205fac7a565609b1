import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RegionContext } from "../calls/call.ts";
import type { Face } from "../calls/face.ts";
import { textOf } from "./edge/bodies.ts";
import { refuseTooLarge, refuseTwoCallers } from "./edge/refuse-request.ts";
import { answerAs, type Counter, type Exchange, refuse, serveNextTurn } from "./exchange.ts";
import type { Metrics, RequestMeter } from "./metrics.ts";

/** Passes every request below the face's prefix to the face, which has its own forms. It is counted like all others. */
export function serveFace(
  app: FastifyInstance,
  face: Face,
  context: RegionContext,
  counter: Counter,
  metrics: Metrics,
): void {
  const meters = new Map(face.operations.map((name) => [name, metrics.meterFor(context.region, name)]));
  for (const url of [face.prefix, `${face.prefix}/*`]) {
    app.route({
      method: app.supportedMethods,
      url,
      onRequest: (request, reply) => {
        reply.hijack();
        const exchange = exchangeOf(face, meters, request, reply);
        serveNextTurn(() => void take(face, exchange, context, counter));
      },
      handler: () => {
        throw new Error("A request of a face was left to the framework.");
      },
    });
  }
}

function exchangeOf(
  face: Face,
  meters: Map<string, RequestMeter>,
  request: FastifyRequest,
  reply: FastifyReply,
): Exchange {
  const operation = face.operationOf(request.url);
  const meter = meters.get(operation);
  if (!meter) throw new Error(`The face at ${face.prefix} has no operation ${operation}.`);
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

async function take(face: Face, exchange: Exchange, context: RegionContext, counter: Counter): Promise<void> {
  const { request, seen } = exchange;
  const body = textOf(request, face.bodyBytesMax, counter.bodies);
  try {
    refuseTooLarge(request, face.bodyBytesMax);
    refuseTwoCallers(request);
    context.store.readTogether();
    const answer = await face.answer({
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
    refuse(exchange, counter, error, face.refuse);
  } finally {
    body.release();
  }
}
