import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { operations } from "../api/index.ts";
import { bodyBytesMaxOf } from "../calls/area-limits.ts";
import type { RegionContext } from "../calls/call.ts";
import { callOperation } from "../calls/call-operation.ts";
import type { Operation } from "../calls/define.ts";
import { readIdempotencyKey } from "../calls/idempotency.ts";
import { Problem } from "../kernel/problem.ts";
import { knownIn, readSession } from "./cookies.ts";
import { textOf } from "./edge/bodies.ts";
import { isRepeated, refuseAtTheDoor } from "./edge/refuse-request.ts";
import { answerJson, answerProblem, type Counter, type Exchange, goOnTogether } from "./exchange.ts";
import type { Metrics, RequestMeter } from "./metrics.ts";
import { newRequestId } from "./request-id.ts";

/** Takes a request that is for an operation, or leaves it to others. */
export type TakeRequest = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Served {
  operation: Operation;
  name: string;
  meter: RequestMeter;
  /** The name of the id in its path. */
  idName: string | undefined;
}

/**
 * Every operation of the contract at its path, by POST alone. They are found here, before the framework, by their whole path
 * or by what stands round the id in it; paths that are written in another way are left to the framework's router, which then
 * steps aside. Its own way of reading a body and sending an answer costs a third of what a bare server needs for the whole
 * request (npm run bench), and an operation needs none of what it offers.
 */
export function serveOperations(
  app: FastifyInstance,
  context: RegionContext,
  counter: Counter,
  metrics: Metrics,
): TakeRequest {
  const byPath = new Map<string, Served>();
  const roundId = new Map<string, Served>();
  for (const operation of operations) {
    const name = operation.path.slice("/latest/".length);
    const meter = metrics.meterFor(context.region, name);
    const idName = idInPath.exec(operation.path)?.[1];
    const place = operation.path.replace(idInPath, "/:/");
    if (!place.includes("{")) (idName ? roundId : byPath).set(place, { operation, name, meter, idName });
    app.route({
      method: "POST",
      url: routeOf(operation),
      onRequest: (request, reply) => {
        reply.hijack();
        const exchange = exchangeOf(request.id, name, meter, request.ip, request.raw, reply.raw);
        serveTogether({ operation, exchange, inPath: request.params as Record<string, string>, context, counter });
      },
      handler: () => {
        throw new Error("An operation was left to the framework.");
      },
    });
  }
  return (request, response) => {
    if (request.method !== "POST") return false;
    const url = request.url ?? "";
    const idEnd = url.lastIndexOf("/");
    const idStart = url.lastIndexOf("/", idEnd - 1) + 1;
    const found = byPath.get(url) ?? roundId.get(`${url.slice(0, idStart)}:${url.slice(idEnd)}`);
    if (!found) return false;
    const { operation, name, meter, idName } = found;
    const id = url.slice(idStart, idEnd);
    if (idName !== undefined && !plainId.test(id)) return false;
    const inPath = idName === undefined ? noneInPath : { [idName]: id };
    const ip = request.socket.remoteAddress ?? "";
    const exchange = exchangeOf(newRequestId(), name, meter, ip, request, response);
    serveTogether({ operation, exchange, inPath, context, counter });
    return true;
  };
}

/** One id with a word behind it, as in all paths that have one. */
const idInPath = /\/\{(\w+)\}\//;
/** As callers usually write it: nothing encoded. */
const plainId = /^[\w-]{1,128}$/;

const noneInPath: Record<string, string> = {};

/** The operation's path in the router's spelling. */
export const routeOf = (operation: Operation): string => operation.path.replace(/\{(\w+)\}/g, ":$1");

const exchangeOf = (
  id: string,
  operation: string,
  meter: RequestMeter,
  ip: string,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange => ({ id, operation, meter, ip, seen: { operation }, startedAt: performance.now(), request, response });

interface ToServe {
  operation: Operation;
  exchange: Exchange;
  inPath: Record<string, string>;
  context: RegionContext;
  counter: Counter;
}

const serveTogether = (call: ToServe): void => goOnTogether(() => void serve(call));

/** Never rejects: what goes wrong is answered, and answering cannot fail. */
async function serve({ operation, exchange, inPath, context, counter }: ToServe): Promise<void> {
  const { request } = exchange;
  const bodyBytesMax = bodyBytesMaxOf(operation);
  const body = textOf(request, bodyBytesMax, counter.bodies);
  try {
    refuseAtTheDoor(request, bodyBytesMax);
    context.store.readTogether();
    const answer = await callOperation(
      operation,
      {
        authorization: request.headers.authorization,
        session: () => readSession(request.headers, counter.region, counter.baseUrls[counter.region]),
        userAgent: () => request.headers["user-agent"] ?? "",
        browser: () => knownIn(request.headers.cookie, counter.region),
        path: pathOf(request.url ?? ""),
        inPath,
        body,
        idempotencyKey: () => idempotencyKeyOf(exchange),
        requestId: exchange.id,
        ip: exchange.ip,
        seen: exchange.seen,
      },
      context,
    );
    answerJson(exchange, counter, answer);
  } catch (error) {
    answerProblem(exchange, counter, error);
  } finally {
    body.release();
  }
}

const pathOf = (url: string): string => {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
};

function idempotencyKeyOf({ request }: Exchange): string | null {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return null;
  if (isRepeated(request, "idempotency-key")) throw new Problem("idempotency_key_invalid");
  return readIdempotencyKey(String(header));
}
