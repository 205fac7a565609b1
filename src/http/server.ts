import { Readable } from "node:stream";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { operations } from "../api/index.ts";
import type { Protocol } from "../calls/protocol.ts";
import type { Log, RequestLog } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import { createAllowedMethods } from "./allowed-methods.ts";
import { serveConsent } from "./consent/serve-consent.ts";
import { type ConsoleParts, serveConsole } from "./console/serve-console.ts";
import { type DocumentationParts, serveDocumentation } from "./documentation/serve-documentation.ts";
import { guardConnections } from "./edge/cap-connections.ts";
import type { Edge } from "./edge/edge.ts";
import { holdContinue, sendContinue } from "./edge/expect-continue.ts";
import { createExcessRefusal, refuseConnection } from "./edge/refuse-connection.ts";
import { refuseAmbiguous } from "./edge/refuse-request.ts";
import { serveInTurn } from "./edge/serve-in-turn.ts";
import { watchReaders } from "./edge/watch-readers.ts";
import { createServer as createHttpServer } from "./node-http.ts";
import { asProblem, fallbackResponse, type ProblemResponse, toProblemResponse } from "./problem-response.ts";
import { newRequestId } from "./request-id.ts";
import { logCause, logFailedRefusal, type ServerContext } from "./respond.ts";
import { commonHeaders } from "./response-headers.ts";
import { pieceBytes, piecesOf } from "./send-in-pieces.ts";
import { serveWebhooks, webhookRoute } from "./serve-agent-webhooks.ts";
import { type HealthParts, serveHealth } from "./serve-health.ts";
import { routeOf, type ServeRequest, serveOperations } from "./serve-operations.ts";
import { serveProtocol } from "./serve-protocol.ts";
import { serveSignIn } from "./sign-in/serve-sign-in.ts";
import { serveSso } from "./sso/serve-sso.ts";

declare module "fastify" {
  interface FastifyReply {
    /** The code of the problem with which a page was refused, for its log line. */
    problemCode: string;
  }
}

export interface ServerParts extends HealthParts, DocumentationParts, ConsoleParts {
  log: Log;
  requestLog: RequestLog;
  /** Addresses of proxies whose X-Forwarded-For is trusted; none by default. */
  trustedProxies: string[];
  edge: Edge;
  /** Provisioning by identity providers. */
  scim?: Protocol;
  /** Tools for assistants, and how people allow them. */
  assistants?: Protocol[];
  /** Serves only what an operator watches; every other request is refused. */
  isWorker?: boolean;
  /** Other time limits for senders and readers than the usual ones. */
  timeLimits?: Partial<typeof timeLimits>;
}

const watched = new Set(["/healthz", "/readyz", "/metrics"]);

/** A slow sender and a reader who stops are disconnected; an idle connection stays open for the next call. */
const timeLimits = {
  maxHeaderSize: 16 * 1024,
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  keepAliveTimeout: 65_000,
  unreadTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};

/** Serves one region's address: the operations, the pages, and refusals of everything else. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { context, baseUrls, log, requestLog, metrics, edge } = parts;
  let stopping = false;
  let serveOperation: ServeRequest | undefined;
  const server: ServerContext = {
    region: context.region,
    baseUrls,
    log,
    requestLog,
    bodies: edge.bodies,
    responses: edge.responses,
    isStopping: () => stopping,
  };
  const app = Fastify({
    genReqId: newRequestId,
    trustProxy: parts.trustedProxies.length > 0 ? parts.trustedProxies : false,
    serverFactory: (handleOtherwise) => {
      const limits = { ...timeLimits, ...parts.timeLimits };
      const httpServer = createHttpServer(limits, (request, response) =>
        serveInTurn(response, () => {
          if (!serveOperation?.(request, response)) handleOtherwise(request, response);
        }),
      );
      watchReaders(httpServer, limits);
      guardConnections(httpServer, edge.connections, createExcessRefusal(server));
      holdContinue(httpServer);
      return httpServer;
    },
    // The contract checks bodies. Without these the framework loads its own validator and serializer: 2 MB.
    schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
    routerOptions: { maxParamLength: 128, ignoreTrailingSlash: false, caseSensitive: true },
    // A call on a connection that is still open while the server stops is served; then the connection closes.
    return503OnClosing: false,
    // An unreadable path reaches no hook, so it gets its headers here.
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request.id));
      refuse(server, error, request, reply);
    },
    clientErrorHandler: (error, socket) => refuseConnection(server, error, socket),
  });
  app.addHook("preClose", (done) => {
    stopping = true;
    // A stream has no end of its own, and the server waits for every response.
    context.rooms.webhooks.live.close();
    done();
  });
  if (parts.isWorker) {
    app.addHook("onRequest", (request, reply, done) => {
      if (watched.has(request.routeOptions.url ?? "")) return done();
      reply.headers(commonHeaders(request.id));
      refuse(server, new Problem("worker_node", undefined, { headers: { "retry-after": "5" } }), request, reply);
    });
  }
  const take = serveOperations(app, context, server, metrics);
  app.register(async (framework) => {
    serveWebhooks(framework, context, server, metrics);
    for (const protocol of [parts.scim, ...(parts.assistants ?? [])])
      if (protocol) serveProtocol(framework, protocol, context, server, metrics);
  });
  // Behind a trusted proxy the caller's address is in a header, which the framework can read.
  if (parts.trustedProxies.length === 0 && !parts.isWorker) serveOperation = take;
  app.register(async (pages) => serveTheRest(pages, server, parts));
  return app;
}

/** Pages, wrong methods and unknown paths are served by the framework. */
function serveTheRest(app: FastifyInstance, server: ServerContext, parts: ServerParts): void {
  const meter = parts.metrics.meterFor(server.region, "other");
  app.decorateReply("problemCode", "");
  const allowed = createAllowedMethods();
  // No body is read here, whatever its content type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    payload.once("end", () => done(null, undefined));
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    for (const [name, value] of Object.entries(commonHeaders(request.id))) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
    done();
  });
  // Pages and files that all readers share: each reader holds a piece.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (!Buffer.isBuffer(payload) || payload.length <= pieceBytes) return done();
    reply.header("content-length", payload.length);
    done(null, Readable.from(piecesOf(payload)));
  });
  app.addHook("onResponse", (request, reply, done) => {
    meter.observe(reply.statusCode, reply.elapsedTime / 1000);
    server.requestLog({
      request_id: request.id,
      region: server.region,
      method: request.method,
      path: isOnePage(request.routeOptions.url) ? request.routeOptions.url : allowed.routeAt(request.url),
      status: reply.statusCode,
      code: reply.problemCode || undefined,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      ip: request.ip,
    });
    done();
  });
  app.setErrorHandler((error, request, reply) => refuse(server, error, request, reply));
  // Runs before the body is read: this is the first mistake of the call.
  app.addHook("onRequest", (request, _reply, done) => {
    sendContinue(request.raw);
    if (request.is404) return done(allowed.refusalOf(request.url));
    try {
      refuseAmbiguous(request.raw);
      done();
    } catch (error) {
      done(asProblem(error));
    }
  });
  app.setNotFoundHandler((request, reply) => refuse(server, allowed.refusalOf(request.url), request, reply));
  for (const operation of operations) allowed.allow(routeOf(operation), ["POST"]);
  allowed.allow(webhookRoute, ["POST"]);
  for (const url of serveHealth(app, parts)) allowed.allow(url, ["GET", "HEAD"]);
  for (const url of serveDocumentation(app, parts)) allowed.allow(url, ["GET", "HEAD"]);
  for (const url of serveConsole(app, parts)) allowed.allow(url, ["GET", "HEAD"]);
  for (const url of serveSignIn(app, parts)) allowed.allow(url, ["GET", "HEAD"]);
  for (const url of serveConsent(app, parts)) allowed.allow(url, ["GET"]);
  for (const [url, methods] of serveSso(app, parts)) allowed.allow(url, methods);
}

/** A wildcard stands for many pages, and the log names the one that was asked for. */
const isOnePage = (route: string | undefined): boolean => route !== undefined && !route.endsWith("*");

const noCompiler = (): never => {
  throw new Error("A route has a schema of the framework's own.");
};

function refuse(server: ServerContext, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  try {
    const problem = asProblem(error);
    reply.problemCode = problem.code;
    logCause(server.log, request.id, "", problem);
    send(reply, toProblemResponse(problem, request.id, server.baseUrls, server.region));
  } catch (failure) {
    logFailedRefusal(server.log, request.id, "", failure);
    send(reply, fallbackResponse(request.id));
  }
}

// As bytes: to a string the framework would add a charset, which no other problem has.
const send = (reply: FastifyReply, { status, headers, body }: ProblemResponse): void => {
  reply.code(status).headers(headers).type("application/problem+json").send(Buffer.from(body));
};
