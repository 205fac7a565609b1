import { createServer as createHttpServer } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { operations } from "../api/index.ts";
import type { Protocol } from "../calls/protocol.ts";
import type { Log, RequestLog } from "../kernel/log.ts";
import { createAllowedMethods } from "./allowed-methods.ts";
import { serveConsent } from "./consent/serve-consent.ts";
import { type ConsoleParts, serveConsole } from "./console/serve-console.ts";
import { guardConnections } from "./edge/connections.ts";
import { goAhead, keepWaiting } from "./edge/continue.ts";
import type { Edge } from "./edge/edge.ts";
import { refuseConnection, refuseOneMore } from "./edge/refuse-connection.ts";
import { refuseAmbiguous } from "./edge/refuse-request.ts";
import { type Counter, commonHeaders, logCause, logFailedRefusal } from "./exchange.ts";
import { asProblem, lastAnswer, type ProblemAnswer, toAnswer } from "./problems.ts";
import { newRequestId } from "./request-id.ts";
import { routeOf, serveOperations, type TakeRequest } from "./serve-operations.ts";
import { type PageParts, servePages } from "./serve-pages.ts";
import { serveProtocol } from "./serve-protocol.ts";
import { serveSignIn } from "./sign-in/serve-sign-in.ts";
import { serveSso } from "./sso/sso.ts";
import { serveWebhooks, webhookRoute } from "./webhook-in.ts";

export interface ServerParts extends PageParts, ConsoleParts {
  log: Log;
  requestLog: RequestLog;
  /** Addresses of proxies whose X-Forwarded-For is believed; none unless the operator says so. */
  trustedProxies: string[];
  edge: Edge;
  /** Identity providers come in here. */
  scim?: Protocol;
}

/** A sender that is too slow is cut off; an idle connection is kept for the next call. */
const timeLimits = {
  maxHeaderSize: 16 * 1024,
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** One region's address: the operations, the pages about them, and the answers to everything else. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { context, baseUrls, log, requestLog, metrics, edge } = parts;
  let stopping = false;
  let takeOperation: TakeRequest | undefined;
  const counter: Counter = {
    region: context.region,
    baseUrls,
    log,
    requestLog,
    bodies: edge.bodies,
    isStopping: () => stopping,
  };
  const app = Fastify({
    genReqId: newRequestId,
    trustProxy: parts.trustedProxies.length > 0 ? parts.trustedProxies : false,
    serverFactory: (handleOtherwise) => {
      const server = createHttpServer(timeLimits, (request, response) => {
        if (!takeOperation?.(request, response)) handleOtherwise(request, response);
      });
      guardConnections(server, edge.connections, (socket, why) => refuseOneMore(counter, socket, why));
      keepWaiting(server);
      return server;
    },
    // Bodies are checked by the contract. Without these the framework loads a validator and a writer of its own: 2 MB.
    schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
    routerOptions: { maxParamLength: 128, ignoreTrailingSlash: false, caseSensitive: true },
    // A call on a connection that is still open while the server stops is served like any other; then the connection ends.
    return503OnClosing: false,
    // A path that cannot be read comes to no hook, so it gets its headers here.
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request.id));
      refuse(counter, error, request, reply);
    },
    clientErrorHandler: (error, socket) => refuseConnection(counter, error, socket),
  });
  app.addHook("preClose", (done) => {
    stopping = true;
    done();
  });
  const take = serveOperations(app, context, counter, metrics);
  serveWebhooks(app, context, counter, metrics);
  if (parts.scim) serveProtocol(app, parts.scim, context, counter, metrics);
  // Behind a trusted proxy the caller's address is in a header, and the framework knows how to read that.
  if (parts.trustedProxies.length === 0) takeOperation = take;
  app.register(async (pages) => serveTheRest(pages, counter, parts));
  return app;
}

/** Pages, wrong methods and unknown paths, in the framework's own way. */
function serveTheRest(app: FastifyInstance, counter: Counter, parts: ServerParts): void {
  const meter = parts.metrics.meterFor(counter.region, "other");
  const allowed = createAllowedMethods();
  // Nobody reads a body here, whatever it claims to be.
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
  app.addHook("onResponse", (request, reply, done) => {
    meter.observe(reply.statusCode, reply.elapsedTime / 1000);
    counter.requestLog({
      request_id: request.id,
      region: counter.region,
      method: request.method,
      path: request.routeOptions.url ?? allowed.routeAt(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      ip: request.ip,
    });
    done();
  });
  app.setErrorHandler((error, request, reply) => refuse(counter, error, request, reply));
  // Before the body is looked at: it is the first thing that is wrong with the call.
  app.addHook("onRequest", (request, _reply, done) => {
    goAhead(request.raw);
    if (request.is404) return done(allowed.refusalOf(request.url));
    try {
      refuseAmbiguous(request.raw);
      done();
    } catch (error) {
      done(asProblem(error));
    }
  });
  app.setNotFoundHandler((request, reply) => refuse(counter, allowed.refusalOf(request.url), request, reply));
  for (const operation of operations) allowed.allow(routeOf(operation), ["POST"]);
  allowed.allow(webhookRoute, ["POST"]);
  for (const url of servePages(app, parts)) allowed.allow(url, ["GET", "HEAD"]);
  for (const url of serveConsole(app, parts)) allowed.allow(url, ["GET", "HEAD"]);
  for (const url of serveSignIn(app, parts)) allowed.allow(url, ["GET", "HEAD"]);
  for (const url of serveConsent(app, parts)) allowed.allow(url, ["GET"]);
  for (const [url, methods] of serveSso(app, parts)) allowed.allow(url, methods);
}

const noCompiler = (): never => {
  throw new Error("A route has a schema of the framework's own.");
};

function refuse(counter: Counter, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  try {
    const problem = asProblem(error);
    logCause(counter.log, request.id, "", problem);
    send(reply, toAnswer(problem, request.id, counter.baseUrls, counter.region));
  } catch (failure) {
    logFailedRefusal(counter.log, request.id, "", failure);
    send(reply, lastAnswer(request.id));
  }
}

// As bytes: to a text the framework would add a charset, which no other problem has.
const send = (reply: FastifyReply, { status, headers, body }: ProblemAnswer): void => {
  reply.code(status).headers(headers).type("application/problem+json").send(Buffer.from(body));
};
