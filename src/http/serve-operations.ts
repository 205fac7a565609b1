import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { operations } from "../api/index.ts";
import { bodyBytesMaxOf } from "../calls/body-size.ts";
import { callOperation } from "../calls/call-operation.ts";
import type { Operation } from "../calls/define-operation.ts";
import { readIdempotencyKey } from "../calls/idempotency.ts";
import type { OpenedStream } from "../calls/received-call.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import { serveInSpan } from "./call-span.ts";
import { knownIn, readSession } from "./cookies.ts";
import { isRepeated, refuseEarly } from "./edge/refuse-request.ts";
import { textOf } from "./edge/request-body.ts";
import type { Metrics, RequestMeter } from "./metrics.ts";
import { newRequestId } from "./request-id.ts";
import { type Exchange, type ServerContext, sendJson, sendProblem, serveInBatch } from "./respond.ts";
import { acceptsEvents, sendEvents } from "./send-events.ts";

/** Serves a request to an operation, or returns false. */
export type ServeRequest = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Served {
  operation: Operation;
  name: string;
  meter: RequestMeter;
  /** The name of the id in its path. */
  idName: string | undefined;
}

/**
 * Serves every operation at its path, by POST only. It matches requests ahead of the framework, by the whole path or by
 * the parts around its id. The framework's router finds paths in any other spelling. The framework's own body reading
 * and response cost a third of what a bare server needs for the whole request (npm run bench), and an operation needs
 * none of it.
 */
export function serveOperations(
  app: FastifyInstance,
  context: RegionContext,
  server: ServerContext,
  metrics: Metrics,
): ServeRequest {
  const byPath = new Map<string, Served>();
  const roundId = new Map<string, Served>();
  const all = operations.map((operation): Served => {
    const name = operation.path.slice("/latest/".length);
    const meter = metrics.meterFor(context.region, name);
    return { operation, name, meter, idName: idInPath.exec(operation.path)?.[1] };
  });
  for (const served of all) {
    const route = served.operation.path.replace(idInPath, "/:/");
    if (!route.includes("{")) (served.idName ? roundId : byPath).set(route, served);
  }
  // Routes take most of the time in which a server is made: the framework makes them when it starts.
  app.register(async (framework) => {
    for (const { operation, name, meter } of all) {
      framework.route({
        method: "POST",
        url: routeOf(operation),
        onRequest: (request, reply) => {
          reply.hijack();
          const exchange: Exchange = {
            id: request.id,
            operation: name,
            meter,
            ip: request.ip,
            isSafe: isSafe(operation),
            seen: { operation: name },
            startedAt: performance.now(),
            request: request.raw,
            response: reply.raw,
          };
          serveCall({ operation, exchange, inPath: request.params as Record<string, string>, context, server });
        },
        handler: () => {
          throw new Error("An operation was left to the framework.");
        },
      });
    }
  });
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
    const exchange: Exchange = {
      id: newRequestId(),
      operation: name,
      meter,
      ip,
      isSafe: isSafe(operation),
      seen: { operation: name },
      startedAt: performance.now(),
      request,
      response,
    };
    serveCall({ operation, exchange, inPath, context, server });
    return true;
  };
}

/** An id followed by a word, as in all paths with an id. */
const idInPath = /\/\{(\w+)\}\//;
/** The usual spelling, without escapes. */
const plainId = /^[\w-]{1,128}$/;

const noneInPath: Record<string, string> = {};

/** The operation's path in the router's syntax. */
export const routeOf = (operation: Operation): string => operation.path.replace(/\{(\w+)\}/g, ":$1");

interface CallToServe {
  operation: Operation;
  exchange: Exchange;
  inPath: Record<string, string>;
  context: RegionContext;
  server: ServerContext;
}

const serveCall = (call: CallToServe): void =>
  serveInBatch(() => serveInSpan(call.exchange, call.operation.path, () => serve(call)));

/** Never rejects: a failure becomes a response, and `sendProblem` cannot fail. */
async function serve({ operation, exchange, inPath, context, server }: CallToServe): Promise<void> {
  const { request } = exchange;
  const bodyBytesMax = bodyBytesMaxOf(operation);
  const body = textOf(request, bodyBytesMax, server.bodies);
  try {
    refuseEarly(request, bodyBytesMax);
    context.store.shareReads();
    const streams: OpenedStream[] | null = operation.stream && acceptsEvents(request) ? [] : null;
    const answer = await callOperation(
      operation,
      {
        authorization: request.headers.authorization,
        session: () => readSession(request.headers, server.region, server.baseUrls[server.region]),
        userAgent: () => request.headers["user-agent"] ?? "",
        browser: () => knownIn(request.headers.cookie, server.region),
        path: pathOf(request.url ?? ""),
        inPath,
        body,
        idempotencyKey: () => idempotencyKeyOf(exchange),
        requestId: exchange.id,
        ip: exchange.ip,
        seen: exchange.seen,
        stream: streams && ((opened) => void streams.push(opened)),
      },
      context,
    );
    if (streams?.[0]) return sendEvents(exchange, server, streams[0]);
    sendJson(exchange, server, answer);
  } catch (error) {
    sendProblem(exchange, server, error);
  } finally {
    body.release();
  }
}

const isSafe = ({ audit, external }: Operation): boolean => audit === null && !external;

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
