import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callOperation, type RegionContext } from "../api/call-operation.ts";
import type { Operation } from "../api/define.ts";
import { readIdempotencyKey } from "../api/idempotency.ts";
import { operations } from "../api/index.ts";
import { Problem } from "../kernel/problem.ts";
import { answerJson, answerProblem, type Counter, type Exchange, readText } from "./exchange.ts";
import type { Metrics, RequestMeter } from "./metrics.ts";

/** Projects, people, keys and organizations are small; nothing legitimate comes near this. */
const bodyBytesMax = 64 * 1024;
const jsonType = /^application\/json\s*(?:;|$)/i;

/**
 * Every operation of the contract at its path, by POST alone. The framework finds the route and then steps aside: its
 * own way of reading a body and sending an answer costs a quarter of what a bare server needs for the whole request
 * (npm run bench), and an operation needs none of what it offers.
 */
export function serveOperations(
  app: FastifyInstance,
  context: RegionContext,
  counter: Counter,
  metrics: Metrics,
): void {
  for (const operation of operations) {
    const name = operation.path.slice("/latest/".length);
    const meter = metrics.meterFor(context.region, name);
    app.route({
      method: "POST",
      url: routeOf(operation),
      onRequest: (request, reply) => {
        reply.hijack();
        void serve(operation, exchangeOf(request, reply, name, meter), request, context, counter);
      },
      handler: () => {
        throw new Error("An operation was left to the framework.");
      },
    });
  }
}

/** The operation's path in the router's spelling. */
export const routeOf = (operation: Operation): string => operation.path.replace(/\{(\w+)\}/g, ":$1");

const exchangeOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  meter: RequestMeter,
): Exchange => ({
  id: request.id,
  operation,
  meter,
  ip: request.ip,
  seen: {},
  startedAt: performance.now(),
  request: request.raw,
  response: reply.raw,
});

async function serve(
  operation: Operation,
  exchange: Exchange,
  request: FastifyRequest,
  context: RegionContext,
  counter: Counter,
): Promise<void> {
  try {
    refuseAtTheDoor(exchange);
    const bodyText = await readText(exchange.request, bodyBytesMax);
    const body = await callOperation(
      operation,
      {
        authorization: exchange.request.headers.authorization,
        path: pathOf(request.url),
        inPath: request.params as Record<string, string>,
        bodyText,
        idempotencyKey: () => idempotencyKeyOf(exchange),
        requestId: exchange.id,
        ip: exchange.ip,
        seen: exchange.seen,
      },
      context,
    );
    answerJson(exchange, counter, body);
  } catch (error) {
    answerProblem(exchange, counter, error);
  }
}

// Size, then content type: what can be refused without reading the body or asking anyone.
function refuseAtTheDoor(exchange: Exchange): void {
  const { headers } = exchange.request;
  if (Number(headers["content-length"]) > bodyBytesMax) throw new Problem("payload_too_large");
  if (!jsonType.test(headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  if (isRepeated(exchange, "authorization")) {
    throw new Problem("malformed_request", "The call carries two Authorization headers.");
  }
}

/** Node keeps the first of two such headers and drops the other silently; the raw list has both. */
function isRepeated({ request }: Exchange, name: string): boolean {
  const raw = request.rawHeaders;
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const header = raw[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count > 1;
}

const pathOf = (url: string): string => {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
};

function idempotencyKeyOf(exchange: Exchange): string | null {
  const header = exchange.request.headers["idempotency-key"];
  if (header === undefined) return null;
  if (isRepeated(exchange, "idempotency-key")) throw new Problem("idempotency_key_invalid");
  return readIdempotencyKey(String(header));
}
